import { describe, expect, it } from '@jest/globals';
import { placeOf, traceparentOf } from './trace-place.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it('is read and written in the form of the recommendation', () => {
    const place = placeOf(`00-${TRACE}-${SPAN}-01`, 'vendor=value');
    expect(place).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true, state: 'vendor=value' });
    expect(traceparentOf({ traceId: TRACE, spanId: SPAN, isSampled: true })).toBe(
      `00-${TRACE}-${SPAN}-01`,
    );
    expect(traceparentOf({ traceId: TRACE, spanId: SPAN, isSampled: false })).toBe(
      `00-${TRACE}-${SPAN}-00`,
    );
  });

  it('may have an unsampled trace', () => {
    expect(placeOf(`00-${TRACE}-${SPAN}-00`)?.isSampled).toBe(false);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `01-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01\n`,
  ])('is undefined for an invalid header: %j', (text) => {
    expect(placeOf(text)).toBeUndefined();
  });

  it('that came twice is not there', () => {
    expect(placeOf([`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`])).toBeUndefined();
  });

  it('goes without a tracestate that is too long or not printable', () => {
    expect(placeOf(`00-${TRACE}-${SPAN}-01`, 'a'.repeat(513))?.state).toBeUndefined();
    expect(placeOf(`00-${TRACE}-${SPAN}-01`, 'a=\u0007')?.state).toBeUndefined();
  });
});
