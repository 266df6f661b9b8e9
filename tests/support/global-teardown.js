import { stopShared } from './run-dir.js';

/** Stops the Tenure that the suites shared; its logs stay in the run's directory. */
export default function tearDown() {
  stopShared();
}
