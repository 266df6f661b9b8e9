import { randomInt } from 'node:crypto';

// As Nova: nothing that is easily taken for something else.
const SETS = ['23456789', 'ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz'] as const;
const LENGTH = 12;

/** A password that has a digit, a capital and a small letter in it. */
export function newPassword(): string {
  const letters = [
    ...SETS.map(oneOf),
    ...Array.from({ length: LENGTH - SETS.length }, () => oneOf(SETS.join(''))),
  ];
  for (let index = letters.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    const letter = letters[index] ?? '';
    letters[index] = letters[other] ?? '';
    letters[other] = letter;
  }
  return letters.join('');
}

const oneOf = (letters: string): string => letters.charAt(randomInt(letters.length));
