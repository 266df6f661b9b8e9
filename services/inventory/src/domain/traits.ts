import { BadRequestError, matches, Trait } from '@tenure/contracts';

/** @throws BadRequestError unless it is the name of a trait */
export function assertTrait(name: string): void {
  const isTrait: boolean = matches(Trait, name);
  if (!isTrait)
    throw new BadRequestError(
      `Schema error for trait: '${name.slice(0, 64)}' is neither a standard trait nor does it match '^CUSTOM_[A-Z0-9_]+$'`,
    );
}
