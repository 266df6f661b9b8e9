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
  ])('says %j in a way that no spreadsheet runs', (text, cell) => {
    expect(csvOf([[text]])).toBe(cell);
  });

  it('leaves what is no formula', () => {
    expect(csvOf([['-', '.', 'A', 'p=1', 'rack-1', '']])).toBe('-,.,A,p=1,rack-1,');
  });

  it('keeps a cell with commas, quotes or line breaks one cell', () => {
    expect(csvOf([['a,b', 'c"d', 'e\r\nf'], ['g']])).toBe('"a,b","c""d","e\r\nf"\r\ng');
  });
});
