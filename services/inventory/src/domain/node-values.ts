import { BadRequestError, hiddenMarkIn, matches, nodeField, Trait } from '@tenure/contracts';
import { isKnownInterface } from './driver-interfaces.js';
import { assertAskedSize, valueChecker } from './field-values.js';

export { isUuid, uuidIn } from './field-values.js';

const HOST_NAME =
  /^(?=.{1,255}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/u;

/**
 * Before 1.10 a name had to be a host's name, and a client of then relies on that.
 * @param minor the negotiated microversion
 * @throws BadRequestError
 */
export const assertNameFor = (minor: number, name: unknown): void => {
  if (minor < 10 && typeof name === 'string' && !HOST_NAME.test(name))
    throw new BadRequestError(`Cannot use invalid name ${name.slice(0, 255)}`);
};

/** Fields without the limit for requests: one of them contains a configuration drive. */
export const LARGE_FIELDS: ReadonlySet<string> = new Set(['instance_info']);

/** @throws BadRequestError unless it is the name of a trait */
export const assertTrait = (name: string): void => {
  const isTrait: boolean = matches(Trait, name);
  if (!isTrait)
    throw new BadRequestError(
      `Schema error for trait: '${name.slice(0, 64)}' is neither a standard trait nor does it match '^CUSTOM_[A-Z0-9_]+$'`,
    );
};

/**
 * A value for a field of the catalogue, as it is stored.
 * @throws BadRequestError naming the field
 */
export const checkedValue = valueChecker({
  what: 'node',
  field: nodeField,
  lowerCase: ['conductor_group'],
});

/**
 * As `checkedValue`, and neither the mark that is shown instead of a secret nor an interface that no hardware type has.
 * @throws BadRequestError
 */
export const checkedInput = (name: string, value: unknown): unknown => {
  const place = hiddenMarkIn(name, value);
  if (place !== undefined)
    throw new BadRequestError(
      `${place}: "******" is what is shown instead of a secret; send the secret itself, or leave it out.`,
    );
  const checked = checkedValue(name, value);
  assertAskedSize(nodeField(name), { after: checked, isLarge: LARGE_FIELDS.has(name) });
  if (typeof checked === 'string' && !isKnownInterface(name, checked))
    throw new BadRequestError(`${name}: there is no interface "${checked.slice(0, 64)}".`);
  return checked;
};
