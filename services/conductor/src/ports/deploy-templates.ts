import { type DeployTemplate } from '../domain/provision/deploy-templates.js';
import { type Behalf } from './inventory-port.js';

/** Finds deploy templates. */
export interface DeployTemplates {
  /** The templates of these names that there are. Throws AppError. */
  readonly find: (behalf: Behalf, names: readonly string[]) => Promise<readonly DeployTemplate[]>;
}
