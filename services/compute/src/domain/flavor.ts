import { type Static, Type } from '@sinclair/typebox';
import { MAX_TRAITS } from '@tenure/contracts';

/** A kind of machine, from the inventory. */
export const FlavorFacts = Type.Object({
  resource_class: Type.String(),
  traits: Type.Array(Type.String()),
  vcpus: Type.Integer(),
  ram: Type.Integer(),
  disk: Type.Integer(),
});
export type FlavorFacts = Static<typeof FlavorFacts>;

/** The requirements of a `flavorRef` on a node. */
export interface WantedFlavor {
  readonly id: string;
  readonly resource_class: string;
  readonly traits: readonly string[];
}

const TRAIT = /^(?:CUSTOM|COMPUTE|HW|MISC|OWNER|STORAGE)_[A-Z0-9_]+$/u;
const MAX_CLASS = 80;

/**
 * A flavor's name taken apart: `class`, or `class:TRAIT:TRAIT`, which asks for a node with all of these traits too.
 * Undefined when it can be none.
 */
export function flavorNamed(id: string): WantedFlavor | undefined {
  const parts = id.split(':');
  const start = parts.findLastIndex((part) => !TRAIT.test(part)) + 1;
  const resource_class = parts.slice(0, start).join(':');
  const traits = [...new Set(parts.slice(start))];
  return resource_class === '' || resource_class.length > MAX_CLASS || traits.length > MAX_TRAITS
    ? undefined
    : { id: [resource_class, ...traits].join(':'), resource_class, traits };
}

/** The extra specs of Nova's bare-metal flavors: one node of the class, with these traits, and no shared resources. */
export const extraSpecsOf = ({
  resource_class,
  traits,
}: Pick<WantedFlavor, 'resource_class' | 'traits'>): Readonly<Record<string, string>> => ({
  [`resources:${customName(resource_class)}`]: '1',
  'resources:VCPU': '0',
  'resources:MEMORY_MB': '0',
  'resources:DISK_GB': '0',
  ...Object.fromEntries(traits.map((trait) => [`trait:${trait}`, 'required'])),
});

/** Placement's name of a resource class. */
const customName = (resourceClass: string): string =>
  `CUSTOM_${resourceClass.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_')}`;
