import { type Environment } from '@tenure/process';
import { Option } from 'commander';

export const dataDirOption = (env: Environment): Option =>
  new Option('--data-dir <dir>', 'where keys and data lie').default(
    env['TENURE_DATA_DIR'] ?? '.data',
  );

export const inventoryUrlOption = (env: Environment): Option =>
  new Option('--inventory-url <url>', 'the inventory service').default(
    env['INVENTORY_URL'] ?? `http://127.0.0.1:${env['INVENTORY_PORT'] ?? '8182'}`,
  );
