import { type ProvisionStep } from '../domain/provision/order.js';
import { type Behalf } from './inventory-port.js';

/** Steps of every deployment whose instance has the trait that is the template's name. */
export interface DeployTemplate {
  readonly name: string;
  readonly steps: readonly ProvisionStep[];
}

export interface DeployTemplates {
  /** The templates of these names that there are. Throws AppError. */
  readonly find: (behalf: Behalf, names: readonly string[]) => Promise<readonly DeployTemplate[]>;
}
