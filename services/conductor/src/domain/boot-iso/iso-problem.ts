import { DriverFailure } from '../driver-failure.js';

/** An error about the image of `driver_info.deploy_iso`, with a message that is safe to return. */
export const imageProblem = (what: string): DriverFailure =>
  new DriverFailure('settings', `the image of driver_info.deploy_iso ${what}`);

/** The answer for a structure that contradicts itself, or is larger than any that is made on purpose. */
export const malformedImage = (): DriverFailure => imageProblem('is not a readable ISO 9660 image');
