import { fieldOf, HANDOVER_CATALOGUE, sealedDigest } from '@tenure/contracts';
import { HANDOVER_FILTER_FIELDS } from '../../domain/visibility.js';
import { type Projected } from '../../ports/record-store.js';
import { type StoredHandover } from '../../ports/stores.js';
import { linksOf } from './links.js';

export interface HandoverViewOptions {
  /** For example `http://127.0.0.1:6385`. */
  readonly base: string;
  /** Path of the collection that contains the handover, without `/v1/`. */
  readonly path: string;
  readonly masked: ReadonlySet<string>;
}

/** A handover with at least the fields in `handoverRecordFields`. */
type ViewedHandover = Projected<StoredHandover>;

/** The fields of a handover's record that a list row needs: for its members, and for the masks. */
export const handoverRecordFields = (members: readonly string[]): readonly string[] => [
  ...new Set([
    ...HANDOVER_FILTER_FIELDS,
    ...members
      .filter((name) => name !== 'links')
      .flatMap((name) => (name === 'sealed_digest' ? [name, 'sealed'] : [name])),
  ]),
];

/**
 * A handover as its caller may see it.
 * @param fields requested members; all when undefined
 */
export const handoverView = (
  record: ViewedHandover,
  { base, path, masked }: HandoverViewOptions,
  fields: readonly string[] = HANDOVER_CATALOGUE.members,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...fields.filter((name) => name !== 'links'), 'links'].map((name) => [
      name,
      name === 'links' ? linksOf(base, `${path}/${record.uuid}`) : fieldView(record, name, masked),
    ]),
  );

/** Timestamps are returned as they are stored: they are covered by the signature. */
function fieldView(record: ViewedHandover, name: string, masked: ReadonlySet<string>): unknown {
  if (masked.has(name)) return null;
  if (name === 'sealed_digest') return sealedDigest({ ...record, sealed: record.sealed ?? {} });
  if ((name === 'steps' || name === 'erased') && masked.has('step_detail'))
    return record[name]?.map((step) => ({ ...step, detail: null }));
  return fieldOf(record, name) ?? null;
}
