import { describe, expect, it } from '@jest/globals';
import { Type } from '@sinclair/typebox';
import { ConfigError, loadConfig } from './config.js';
import { helpText } from './help.js';
import { partVariables } from './part-variables.js';

const variables = {
  port: {
    env: 'X_PORT',
    schema: Type.Integer({ minimum: 1, maximum: 65535 }),
    fallback: 1234,
    about: 'port',
  },
  debug: { env: 'X_DEBUG', schema: Type.Boolean(), fallback: false, about: 'more output' },
  secret: { env: 'X_SECRET', schema: Type.String({ minLength: 8 }), about: 'a secret' },
  urls: { env: 'X_URLS', schema: Type.Array(Type.String()), fallback: [], about: 'addresses' },
} as const;

describe('loadConfig', () => {
  it('reads numbers, booleans, lists and strings, and falls back', () => {
    expect(
      loadConfig(variables, { X_SECRET: 'long enough', X_DEBUG: 'true', X_URLS: 'a, b,' }),
    ).toEqual({
      port: 1234,
      debug: true,
      secret: 'long enough',
      urls: ['a', 'b'],
    });
  });

  it('reports every bad variable at once, and never its value', () => {
    expect(() =>
      loadConfig(variables, { X_PORT: 'eighty', X_DEBUG: 'maybe', X_SECRET: 'hunter2' }),
    ).toThrow(
      new ConfigError([
        'X_PORT must be: integer from 1 to 65535',
        'X_DEBUG must be: boolean',
        'X_SECRET must be: string',
      ]),
    );
  });

  it('takes an empty variable as one that is not set', () => {
    expect(() => loadConfig(variables, { X_SECRET: '' })).toThrow('X_SECRET is not set (a secret)');
  });

  it('puts the admin listener 1000 above the configured port', () => {
    const config = loadConfig(partVariables('gateway'), { GATEWAY_PORT: '7000' });
    expect([config.port, config.adminPort, config.host]).toEqual([7000, 8000, '127.0.0.1']);
  });
});

describe('helpText', () => {
  it('lists every variable with its default and meaning', () => {
    const text = helpText('x', 'Does x.', variables);
    expect(text.split('Traces (docs/tracing.md):')[0]).toBe(
      [
        'Usage: x [--help]',
        '',
        'Does x.',
        '',
        'Environment (variable, default, meaning):',
        '  X_PORT    1234      port',
        '  X_DEBUG   false     more output',
        '  X_SECRET  required  a secret',
        '  X_URLS    -         addresses',
        '',
        '',
      ].join('\n'),
    );
    expect(text).toMatch(/^ {2}OTEL_TRACES_SAMPLER_ARG +1 +share of the traces/mu);
  });
});
