import { type CallContext } from '@tenure/contracts';
import { type DeployTemplate } from '../domain/provision/deploy-templates.js';

/** Finds deploy templates. */
export interface DeployTemplates {
  /** The templates of these names that there are. Throws AppError. */
  readonly find: (
    context: CallContext,
    names: readonly string[],
  ) => Promise<readonly DeployTemplate[]>;
}
