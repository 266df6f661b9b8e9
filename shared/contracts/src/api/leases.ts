import { Type } from '@sinclair/typebox';
import { exactly } from './values.js';

/** What happens to the machine when a lease ends. */
export const LeaseEnd = exactly({ undeploy: Type.Boolean(), clean: Type.Boolean() }, 'LeaseEnd');
/** The same as it is asked for: what is left out happens. */
export const NewLeaseEnd = Type.Partial(LeaseEnd, {
  title: 'NewLeaseEnd',
  additionalProperties: false,
});
