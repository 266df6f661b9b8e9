import { type ResourceCatalogue } from '@tenure/contracts';
import { type ValueChecker, valueChecker } from '../field-values.js';

/** The kinds of records beside nodes and allocations, by their sections in an inventory document. */
export type ResourceSection =
  | 'ports'
  | 'portgroups'
  | 'chassis'
  | 'volume_connectors'
  | 'volume_targets'
  | 'deploy_templates';

export type Values = Readonly<Record<string, unknown>>;

/** The definition of a kind. */
export interface KindParts<S extends string = ResourceSection> {
  readonly section: S;
  /** As in the resources of a signed context: `volume_target`. */
  readonly type: string;
  /** As in sentences: `Volume target`. */
  readonly label: string;
  /** Below `/v1/`: `volume/targets`. */
  readonly path: string;
  /** Member of a list's answer: `targets`. */
  readonly collection: string;
  readonly catalogue: ResourceCatalogue;
  /** Whether it belongs to a node, whose owner and lessee are also its own. */
  readonly onNode: boolean;
  /** Whether it is also found by its name. */
  readonly named: boolean;
  /** Fields whose texts are stored in lower case. */
  readonly lowerCase?: readonly string[];
  /** Of fields with texts of several spellings: the one that is stored. */
  readonly canonical?: Readonly<Record<string, (text: string) => string>>;
  /** Object fields in which secrets are expected. */
  readonly secretObjects?: readonly string[];
  /** Object fields that may be as large as what Tenure itself writes. */
  readonly largeObjects?: readonly string[];
  /** Checks of a value that a client sends, which a stored value need not pass; throws a BadRequestError. */
  readonly assertSent?: (field: string, value: unknown, minor: number) => void;
  /** Checks of a value in a list's filter; throws a BadRequestError. */
  readonly assertFilter?: (field: string, value: string) => void;
  /** Of fields that have an API of their own: the sentence for a patch that names one. */
  readonly apart?: Readonly<Record<string, string>>;
  /** Checks of more than one value; throws a BadRequestError. */
  readonly assertWhole?: (values: Values) => void;
  /** The sentence for a value that another record has. */
  readonly duplicate: (field: string, values: Values) => string;
}

/** A kind of record with an API. */
export interface ResourceKind<S extends string = ResourceSection> extends KindParts<S> {
  /** For the error about a body: `volume target`. */
  readonly what: string;
  readonly lowerCase: readonly string[];
  readonly secretObjects: readonly string[];
  readonly largeObjects: readonly string[];
  readonly assertFilter: (field: string, value: string) => void;
  readonly assertSent: (field: string, value: unknown, minor: number) => void;
  readonly apart: Readonly<Record<string, string>>;
  readonly assertWhole: (values: Values) => void;
  /** A value as it is stored; throws a BadRequestError naming the field. */
  readonly checkedValue: ValueChecker;
}

/** Any kind, also one whose records are kept in a way of their own. */
export type AnyKind = ResourceKind<string>;

export function resourceKind<S extends string>(parts: KindParts<S>): ResourceKind<S> {
  const { what } = parts.catalogue;
  return {
    ...parts,
    what,
    lowerCase: parts.lowerCase ?? [],
    secretObjects: parts.secretObjects ?? [],
    largeObjects: parts.largeObjects ?? [],
    assertFilter: parts.assertFilter ?? (() => undefined),
    assertSent: parts.assertSent ?? (() => undefined),
    apart: parts.apart ?? {},
    assertWhole: parts.assertWhole ?? (() => undefined),
    checkedValue: valueChecker({
      what,
      field: parts.catalogue.field,
      lowerCase: parts.lowerCase ?? [],
      canonical: parts.canonical ?? {},
    }),
  };
}
