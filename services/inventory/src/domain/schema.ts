/** A change of the stored data from one version to the next. Forward only. */
interface MigrationDefinition {
  /** The version that it leads to. */
  readonly version: number;
  readonly title: string;
  /** The effect on data and indexes, for the operator who decides when to run it. */
  readonly does: string;
  /**
   * The oldest version whose release still works on data of this one. If it is the version before, the migration
   * supports a rolling update: the old replicas continue until they are replaced.
   */
  readonly compatibleFrom: number;
}

/** Data of releases that wrote no version down. */
const FIRST_VERSION = 1;

/** Every migration there is, in their order. None is ever changed once it was released. */
const MIGRATIONS = [
  {
    version: 2,
    title: 'Indexes that the lists need, and a version',
    does:
      'Makes the tables, collections and indexes that are missing, among them one for the servers of a project by the time ' +
      'they were made; drops those of nodes (power state), claims, key pairs, volume connectors and volume targets that no ' +
      'query needs. Changes no record.',
    compatibleFrom: 1,
  },
  {
    version: 3,
    title: 'Custody of machines',
    does:
      'Makes the table or collection of handovers with its indexes, an index of the nodes that are being handed over, and ' +
      'indexes for volume targets by volume and for volume connectors by initiator. Puts the ids of VIFs, volumes and ' +
      'initiators into their canonical form (UUIDs and world wide names in lower case), notes which ports have which VIF, and ' +
      'forgets claims of what nothing uses.',
    compatibleFrom: 2,
  },
  {
    version: 4,
    title: 'Budgets of projects',
    does:
      'Makes the tables or collections of quotas and of what each project and user has stored. Notes for each volume target ' +
      'and connector which project pays for it, and counts what is stored.',
    compatibleFrom: 3,
  },
] as const satisfies readonly [MigrationDefinition, ...MigrationDefinition[]];

export type MigrationVersion = (typeof MIGRATIONS)[number]['version'];
export type Migration = (typeof MIGRATIONS)[number];

/** The version that this release reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS[MIGRATIONS.length - 1]?.version ?? FIRST_VERSION;

/** The recorded version of a store's data. */
export interface SchemaRecord {
  readonly version: number;
  readonly compatibleFrom: number;
}

export type SchemaVerdict =
  | { readonly kind: 'current'; readonly version: number }
  /** To be migrated. */
  | {
      readonly kind: 'older';
      readonly version: number;
      readonly isEmpty: boolean;
      readonly pending: readonly Migration[];
    }
  /** Of a newer release; whether this one may work on it all the same. */
  | { readonly kind: 'newer'; readonly version: number; readonly isCompatible: boolean };

/**
 * Whether this release may use a store, must migrate it first, or must leave it alone.
 * @param record the recorded version; undefined: none
 * @param hasData whether it contains records
 */
export function judgeSchema(record: SchemaRecord | undefined, hasData: boolean): SchemaVerdict {
  const version = record?.version ?? FIRST_VERSION;
  if (version === SCHEMA_VERSION) return { kind: 'current', version };
  if (version > SCHEMA_VERSION)
    return {
      kind: 'newer',
      version,
      isCompatible: record !== undefined && record.compatibleFrom <= SCHEMA_VERSION,
    };
  return {
    kind: 'older',
    version,
    isEmpty: record === undefined && !hasData,
    pending: MIGRATIONS.filter((migration) => migration.version > version),
  };
}
