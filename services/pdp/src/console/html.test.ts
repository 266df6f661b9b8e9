import { describe, expect, it } from '@jest/globals';
import { address, html } from './html.js';

describe('a template', () => {
  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['" onmouseover="x', '&quot; onmouseover=&quot;x'],
    ["' onmouseover='x", '&#39; onmouseover=&#39;x'],
    ['&lt;', '&amp;lt;'],
    ['`x`', '&#96;x&#96;'],
    ['a\u0000b', 'a\\u0000b'],
    ['evil\u202etxt.exe', 'evil\\u202etxt.exe'],
    ['\ud800', '\ufffd'],
    ['two\nlines', 'two\nlines'],
  ])('shows %j as text only', (text, escaped) => {
    expect(String(html`<p title="${text}">${text}</p>`)).toBe(
      `<p title="${escaped}">${escaped}</p>`,
    );
  });

  it('takes in other templates, numbers, lists and nothing', () => {
    const items = ['<a>', '<b>'].map((text) => html`<b>${text}</b>`);
    const list = html`<p>${items}${3}${undefined}${''}</p>`;
    expect(String(list)).toBe('<p><b>&lt;a&gt;</b><b>&lt;b&gt;</b>3</p>');
  });
});

describe('an address', () => {
  it('has its members encoded, and none without a value', () => {
    expect(address('/console/x', { a: '"&<', b: '', c: undefined })).toBe('/console/x?a=%22%26%3C');
  });
});
