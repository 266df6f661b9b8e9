import { type Static, type TSchema } from '@sinclair/typebox';
import formatsPlugin from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { BadRequestError } from './errors.js';
import { ID_FORMATS } from './ids.js';

// One ajv for the process: first error only (allErrors is a lever for denial of service), no coercion, no defaults.
const ajv = new Ajv2020({
  allErrors: false,
  strict: true,
  allowUnionTypes: true,
  strictTypes: false,
});
// ajv-formats is CommonJS: under nodenext its callable is the `default` of the default import.
formatsPlugin.default(ajv, ['uuid', 'date-time', 'uri']);
for (const [name, isId] of Object.entries(ID_FORMATS)) ajv.addFormat(name, isId);

const compiled = new WeakMap<TSchema, ValidateFunction>();

/** True when `value` is of the schema's shape. */
export const matches = <S extends TSchema>(schema: S, value: unknown): value is Static<S> =>
  validatorOf(schema)(value);

/**
 * Returns `value` as the schema's type.
 * @param what names the value in the error, for example `node`
 * @throws BadRequestError naming the first offending place
 */
export function parse<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  const validate = validatorOf(schema);
  if (validate(value)) return value;
  throw new BadRequestError(`Schema error for ${what}: ${sentence(validate.errors?.[0])}`);
}

function validatorOf(schema: TSchema): ValidateFunction {
  const cached = compiled.get(schema);
  if (cached !== undefined) return cached;
  const fresh = ajv.compile(schema);
  compiled.set(schema, fresh);
  return fresh;
}

function sentence(error: ErrorObject | undefined): string {
  if (error === undefined) return 'is not valid';
  const where = error.instancePath === '' ? '' : `${error.instancePath}: `;
  const extra: unknown = error.params['additionalProperty'];
  const name = typeof extra === 'string' ? ` ('${extra.slice(0, 64)}' was unexpected)` : '';
  return `${where}${error.message ?? 'is not valid'}${name}`;
}
