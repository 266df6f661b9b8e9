import { describe, expect, it } from '@jest/globals';
import { statusView } from './status.js';

describe('the page about the policy', () => {
  it('lists faults, overlays, earlier policies with their differences, and the differences of a shadow', () => {
    const text = String(
      statusView({
        revision: 'sha256:two',
        since: '2026-11-21T06:00:00.000Z',
        overlays: ['<mine>.yaml'],
        switches: { enforce_scope: true },
        faults: ['the new bundle was refused: case "owner reads" failed'],
        history: [
          {
            revision: 'sha256:one',
            at: '2026-11-20T06:00:00.000Z',
            event: 'in service',
            diff: '+ <b>or</b> baremetal:node:get',
          },
        ],
        replicas: [
          {
            instance: 'pdp-<0>',
            revision: 'sha256:two',
            pinned: true,
            since: '2026-11-21T06:00:00.000Z',
            status: 'degraded',
            reason: 'no <bundle>',
          },
        ],
        shadow: {
          revision: 'sha256:three',
          evaluated: 100,
          differences: 7,
          samples: [{ decisionId: 'd/1', action: 'baremetal:node:get', live: true, shadow: false }],
        },
      }),
    );
    expect(text).toContain('the new bundle was refused: case &quot;owner reads&quot; failed');
    expect(text).toContain('&lt;mine&gt;.yaml');
    expect(text).toContain('+ &lt;b&gt;or&lt;/b&gt; baremetal:node:get');
    expect(text).toContain('pdp-&lt;0&gt;');
    expect(text).toContain('(pinned)');
    expect(text).toContain('degraded: no &lt;bundle&gt;');
    expect(text).toContain('7 of 100 answers');
    expect(text).toContain('href="/console/decisions/d%2F1"');
    expect(text).toMatch(/<td>allowed<\/td>\s*<td>denied<\/td>/u);
  });

  it('says when there is neither history nor shadow', () => {
    const text = String(
      statusView({
        revision: 'sha256:one',
        since: '2026-11-21T06:00:00.000Z',
        overlays: [],
        switches: {},
        faults: [],
        history: undefined,
        replicas: undefined,
        shadow: undefined,
      }),
    );
    expect(text).toContain('No history is kept here.');
    expect(text).toContain('No shadow policy is evaluated.');
    expect(text).not.toContain('Decision points');
  });
});
