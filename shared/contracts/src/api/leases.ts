import { Type } from '@sinclair/typebox';
import { exactly } from './values.js';

/** The actions on the machine when a lease ends. */
export const LeaseEnd = exactly({ undeploy: Type.Boolean(), clean: Type.Boolean() }, 'LeaseEnd');
/** The same in a request: an action that is left out is carried out. */
export const NewLeaseEnd = Type.Partial(LeaseEnd, {
  title: 'NewLeaseEnd',
  additionalProperties: false,
});
