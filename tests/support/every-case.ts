import { env } from 'node:process';

/** Whether a test that takes a sample of its cases is to take all of them, as `make nightly` asks. */
export const isEveryCase = env['TENURE_TEST_EVERY_CASE'] === '1';
