import { Type } from '@sinclair/typebox';
import { type ConfigOf, type Variable } from '@tenure/process';

const Text = Type.String({ minLength: 1 });
const OptionalText = Type.Unsafe<string | null>({ type: 'string', minLength: 1 });

/** The variables of the inventory's store. */
export const STORE_VARIABLES = {
  dataDir: {
    env: 'TENURE_DATA_DIR',
    schema: Text,
    fallback: '.data',
    about: 'directory of the embedded store (inventory.sqlite)',
  },
  mongodbUri: {
    env: 'MONGODB_URI',
    schema: Type.Unsafe<string | null>({
      type: 'string',
      pattern: '^mongodb(\\+srv)?://',
      description: 'a mongodb:// or mongodb+srv:// URI',
    }),
    fallback: null,
    about: 'MongoDB to use instead of the embedded store; better MONGODB_URI_FILE',
  },
  mongodbUriFile: {
    env: 'MONGODB_URI_FILE',
    schema: OptionalText,
    fallback: null,
    about: 'file with that URI, so that its password is not in the environment',
  },
  mongodbTlsCaFile: {
    env: 'MONGODB_TLS_CA_FILE',
    schema: OptionalText,
    fallback: null,
    about: 'PEM file of the authorities that sign the certificate of MongoDB; enables TLS',
  },
  mongodbDatabase: {
    env: 'MONGODB_DATABASE',
    schema: Text,
    fallback: 'tenure',
    about: 'database in that MongoDB',
  },
} as const satisfies Record<string, Variable>;

export type StoreConfig = ConfigOf<typeof STORE_VARIABLES>;
