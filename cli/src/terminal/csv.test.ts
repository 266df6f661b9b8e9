import { describe, expect, it } from '@jest/globals';
import { csvOf } from './csv.js';

describe('CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1+cmd', "'-1+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "'  =1"],
    ['\t=1', "'\t=1"],
    ['=HYPERLINK("http://a","b")', `"'=HYPERLINK(""http://a"",""b"")"`],
  ])('writes %j so that no spreadsheet evaluates it', (text, cell) => {
    expect(csvOf([[text]])).toBe(cell);
  });

  it('leaves other cells unchanged', () => {
    expect(csvOf([['-', '.', 'A', 'p=1', 'rack-1', '']])).toBe('-,.,A,p=1,rack-1,');
  });

  it('quotes a cell with commas, quotes or line breaks', () => {
    expect(csvOf([['a,b', 'c"d', 'e\r\nf'], ['g']])).toBe('"a,b","c""d","e\r\nf"\r\ng');
  });
});
