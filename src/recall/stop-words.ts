const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** English words that say nothing about what is looked for. Kept short: each word here can't be searched. */
const ENGLISH = words(`
  a about after again all also am an and any are aren as at be because been before being both but by can cannot could
  couldn d did didn do does doesn doing don dont during each few for from further had hadn has hasn have haven having he
  her here hers herself him himself his how i if in into is isn it its itself just ll m me more most my myself no nor
  not of off on once only or other our ours ourselves out over own re s same she should shouldn so some such t than that
  the their theirs them themselves then there these they this those through to too under until up ve very was wasn we
  were weren what when where which while who whom whose why will with won would wouldn you your yours yourself`);

/** What people ask a memory with. Said in full turns too, so searchable; alone it asks for whatever there is. */
const ASKING = words(`
  anything discuss discussed everything ever hear heard know known let mention mentioned now please recall remember
  remembered said say something speak spoke spoken summarise summarize talk talked talking tell told today us yet`);

/** The same in other languages, for questions alone: die, war and con are English words that must stay searchable. */
const ELSEWHERE: readonly ReadonlySet<string>[] = [
  words(`a acerca acuerdas al algo como con conmigo conoces conversamos cual cuando de decir del dices dije dijiste dime
    donde el ella en era eres es esta estoy fue ha hablado hablamos has he hemos la las le lo los me mi mis nos nosotros o
    para pero por porque que quien recuerdas sabe saben sabes se ser si sobre soy su sus te tu tus un una y ya yo`),
  words(`aber als am an auch auf aus bei bin bist da das dass dem den der des dich die dir du ein eine einen einer
    erinnerst erzahlt es etwas fur gerade gesagt gesprochen geredet habe haben hast hat ich ihr im in ist ja kennst mein
    meine mich mir mit nach nicht noch oder sag sagte sie sind so uber um und uns unser von war was weiss weisst welche
    wen wer wie wir wissen wo woruber zu zum zur`),
  words(`a ai ainsi au aux avec avons c ce ces connais d dans de des dire dis dit du elle en es est et etait ete il ils
    j je l la le les lui m ma me mes moi mon n ne nos notre nous on ou par parle parler pas pour qu que quel quelle qui
    quoi rappelles sa sais sait se ses souviens suis sur t ta te tes toi ton tu un une vous y`),
  words(`a ao as com como conversamos da das de diga disse do dos e ela ele em era es esta eu falamos foi isso la lembra
    lembras mais me meu meus mim minha na nao no nos o os ou para por qual quando que quem sabe sabes se sem ser seu sobre
    sou sua te tu um uma voce`),
  words(`abbiamo che chi ci come con conosci cosa da dei del della detto di dici e ho hai i il in io la le lo ma me mi
    mia mio ne noi non o parlato per quale quando qui ricordi sai se sei si sono su ti tu un una`),
];

export function isStopWord(word: string): boolean {
  return ENGLISH.has(word);
}

/** True for a question that names nothing to look for: then the newest turns are the answer. */
export function asksForNothing(foldedWords: readonly string[]): boolean {
  if (foldedWords.every((word) => ENGLISH.has(word) || ASKING.has(word))) return true;
  return (
    foldedWords.length > 1 &&
    ELSEWHERE.some((language) => foldedWords.every((word) => language.has(word)))
  );
}
