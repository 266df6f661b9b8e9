import { DriverFailure } from '../driver-failure.js';

/** What is wrong with the image of `driver_info.deploy_iso`, in a sentence that may be shown. */
export const imageProblem = (what: string): DriverFailure =>
  new DriverFailure('settings', `the image of driver_info.deploy_iso ${what}`);

/** The answer for a structure that contradicts itself, or is larger than any that is made on purpose. */
export const malformedImage = (): DriverFailure => imageProblem('is not a readable ISO 9660 image');
