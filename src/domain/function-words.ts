/** English words that say nothing by themselves: whoever quotes these alone quotes nothing. */
const FUNCTION_WORDS = new Set(
  `a an the this that these those there here i me my mine myself we us our ours ourselves you your yours yourself he him his himself
  she her hers herself it its itself they them their theirs themselves who whom whose which what when where why how am is are was were
  be been being do does did doing done have has had having will would shall should can could may might must i'm i've i'd i'll we're
  we've we'd we'll you're you've you'd you'll he's she's it's that's what's there's they're they've they'd and or but nor if because as
  while although though so than then of at by for with about against between into through during before after above below to from up
  down in out on off over under again further once both each some such any all other another same own just also too very quite really
  well not no never none yes ok okay please hello hi hey thanks thank don't doesn't didn't isn't aren't wasn't weren't haven't hasn't
  hadn't won't wouldn't can't cannot couldn't shouldn't seem seems seemed
  able unable longer anymore`.split(/\s+/),
);

export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word);
}
