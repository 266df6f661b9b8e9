import { describe, expect, it } from '@jest/globals';
import {
  canonicalConnectorId,
  canonicalOutsideId,
  connectorSpellings,
  isOutsideId,
  isTenancyId,
  OutsideId,
  TenancyId,
} from './ids.js';
import { matches } from './validate.js';

const UNSEEN = [
  ['a tab', '\t'],
  ['a newline', '\n'],
  ['an escape', '\u001b'],
  ['a next line', '\u0085'],
  ['a no-break space', '\u00a0'],
  ['an em space', '\u2003'],
  ['a soft hyphen', '\u00ad'],
  ['a zero width space', '\u200b'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a right-to-left override', '\u202e'],
  ['a line separator', '\u2028'],
  ['a variation selector', '\ufe0f'],
  ['a Hangul filler', '\u3164'],
  ['an empty braille pattern', '\u2800'],
  ['a combining grapheme joiner', '\u034f'],
  ['a tag', '\u{e0041}'],
  ['a private character', '\ue000'],
  ['half a surrogate pair', '\ud800'],
] as const;

describe('an id of a user or project', () => {
  it.each(['p', 'a'.repeat(255), '3f1c7e0a', 'jane@example.org', 'Jane Doe', 'Zoë', '项目', '🚜'])(
    'may be %j',
    (id) => {
      expect([isTenancyId(id), matches(TenancyId, id)]).toEqual([true, true]);
    },
  );

  it.each([
    ['nothing', ''],
    ['256 characters', 'a'.repeat(256)],
    ['a blank', ' '],
    ['a number', 7],
  ])('is not %s', (_what, id) => {
    expect([isTenancyId(id), matches(TenancyId, id)]).toEqual([false, false]);
  });

  it.each([['a blank', ' '], ...UNSEEN])('has no %s at its ends', (_what, text) => {
    expect([`${text}p`, `p${text}`].map(isTenancyId)).toEqual([false, false]);
  });

  it.each(UNSEEN)('has no %s in it', (_what, text) => {
    expect(isTenancyId(`p${text}q`)).toBe(false);
  });
});

describe('an id of a resource of another service', () => {
  it.each(['vif-1', 'iqn.2026-11.org.example:a', 'Zo\u00eb', 'a'.repeat(255)])(
    'may be %j',
    (id) => {
      expect([isOutsideId(id), matches(OutsideId, id)]).toEqual([true, true]);
    },
  );

  it.each([
    ['nothing', ''],
    ['256 characters', 'a'.repeat(256)],
    ['a blank', 'a b'],
    ['a letter in two parts', 'e\u0301'],
    ['a number', 7],
    ...UNSEEN.map(([what, text]) => [what, `a${text}b`] as const),
  ])('is none with %s', (_what, id) => {
    expect([isOutsideId(id), matches(OutsideId, id)]).toEqual([false, false]);
  });

  it('is in lower case when it is a UUID, and as it is otherwise', () => {
    expect(canonicalOutsideId('ABCDEFAB-2222-4333-8444-00000000000A')).toBe(
      'abcdefab-2222-4333-8444-00000000000a',
    );
    for (const id of [
      'Vol-A',
      'abcdefab-2222-4333-8444-00000000000',
      'gbcdefab222243338444000000000000',
    ])
      expect(canonicalOutsideId(id)).toBe(id);
  });

  it.each([
    'abcdefab22224333844400000000000a',
    'ABCDEFAB22224333844400000000000A',
    '{ABCDEFAB-2222-4333-8444-00000000000a}',
    'urn:uuid:abcdefab-2222-4333-8444-00000000000a',
    'URN:UUID:abcdefab-2222-4333-8444-00000000000a',
    'uuid:abcdefab-2222-4333-8444-00000000000a',
    'abcd-efab222243338444-00000000000a',
  ])('is the same UUID as %s', (spelling) => {
    expect(canonicalOutsideId(spelling)).toBe('abcdefab-2222-4333-8444-00000000000a');
  });
});

describe('a name of an initiator', () => {
  it.each([
    ['IQN.2026-11.org.Example:Node-1', 'iqn.2026-11.org.example:node-1'],
    ['50:01:43:80:18:6B:3F:65', '50:01:43:80:18:6b:3f:65'],
    ['50-01-43-80-18-6B-3F-65', '50:01:43:80:18:6b:3f:65'],
    ['50014380186B3F65', '50014380186b3f65'],
    ['52:54:00:AA:00:01', '52:54:00:aa:00:01'],
    ['52-54-00-AA-00-01', '52:54:00:aa:00:01'],
    ['ABCDEFAB-2222-4333-8444-00000000000A', 'abcdefab-2222-4333-8444-00000000000a'],
    ['Host-A', 'Host-A'],
  ])('%s is kept as %s', (given, kept) => {
    expect(canonicalConnectorId(given)).toBe(kept);
  });

  it('is found by each of its spellings', () => {
    const spellings = [
      '50014380186b3f65',
      '50:01:43:80:18:6b:3f:65',
      '0x50014380186b3f65',
      'naa.50014380186b3f65',
    ];
    for (const one of spellings) expect(connectorSpellings(one)).toEqual(spellings);
    expect(connectorSpellings('IQN.a:B')).toEqual(['iqn.a:b']);
  });
});
