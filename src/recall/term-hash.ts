/**
 * A term as a number of 53 bits, the most that a number holds exactly. Two of a subject's terms meet once in ten million
 * subjects of a hundred thousand terms, and then only make a turn rank higher than it should.
 */
export function hashTerm(term: string): number {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < term.length; at += 1) {
    const unit = term.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 15;
    low = Math.imul(low ^ unit, 0x01000193);
    low ^= low >>> 13;
  }
  high = Math.imul(high ^ (low >>> 16), 0x2c1b3c6d);
  high ^= high >>> 12;
  low = Math.imul(low ^ (high >>> 15), 0x297a2d39);
  low ^= low >>> 16;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
