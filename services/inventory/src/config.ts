import { Type } from '@sinclair/typebox';
import { contextKeysVariable, partVariables, type Variable } from '@tenure/process';

const Text = Type.String({ minLength: 1 });

/** The inventory's environment variables. */
export const VARIABLES = {
  ...partVariables('inventory'),
  contextKeysDir: contextKeysVariable,
  dataDir: {
    env: 'TENURE_DATA_DIR',
    schema: Text,
    fallback: '.data',
    about: 'directory of the embedded store (inventory.sqlite)',
  },
  mongodbUri: {
    env: 'MONGODB_URI',
    schema: Type.Union([Type.String({ pattern: '^mongodb(\\+srv)?://' }), Type.Null()], {
      description: 'a mongodb:// or mongodb+srv:// URI',
    }),
    fallback: null,
    about: 'MongoDB to use instead of the embedded store',
  },
  mongodbDatabase: {
    env: 'MONGODB_DATABASE',
    schema: Text,
    fallback: 'tenure',
    about: 'database in that MongoDB',
  },
  conductorKeepSeconds: {
    env: 'INVENTORY_CONDUCTOR_KEEP_SECONDS',
    schema: Type.Integer({ minimum: 60, maximum: 315_360_000 }),
    fallback: 604_800,
    about:
      'seconds after which a conductor that is not heard of any more, and holds no lock, is forgotten',
  },
} as const satisfies Record<string, Variable>;
