import { callMs, traced } from '@tenure/process';
import { type Tenancy, type TenancySource } from '../../ports/tenancy-source.js';
import { type Access, type NamedResource, type Tenancies, tooLong } from './access.js';
import { retryOnce } from './retry-once.js';

/** The one resource whose tenancy is loaded; null when there is none, or two. */
export function onlyLoaded({ resource, within }: Access): NamedResource | null {
  const parent = within?.resource ?? null;
  if (parent === null || resource === null) return resource ?? parent;
  return isOneLoad(parent, resource) ? parent : null;
}

/** The tenancies of an access for which only one is loaded. */
export const tenanciesOf = ({ resource, within }: Access, tenancy: Tenancy): Tenancies => ({
  own: resource === null ? undefined : tenancy,
  parent: (within?.resource ?? null) === null ? undefined : tenancy,
});

/**
 * Loads the tenancies for the questions of an access, each once.
 * @param deadlineMs milliseconds for one look-up; none starts when less time is left
 */
export function createLoad(
  source: TenancySource,
  deadlineMs: number,
): (access: Access) => Promise<Tenancies> {
  const load = async (
    resource: NamedResource | null,
    { context, deadline }: Access,
  ): Promise<Tenancy | undefined> => {
    if (resource?.isValid !== true) return undefined;
    if (callMs(deadline, deadlineMs) < deadlineMs) throw tooLong();
    return retryOnce(deadline, deadlineMs, () =>
      traced('tenancy', () => source.load(resource.loads, resource.ident, context), {
        attributes: { 'tenure.resource_type': resource.loads },
      }),
    );
  };

  return async (access) => {
    const { resource, within } = access;
    const parent = within?.resource ?? null;
    if (parent === null) return { own: await load(resource, access), parent: undefined };
    if (resource === null) return { own: undefined, parent: await load(parent, access) };
    const ofParent = load(parent, access);
    const ofOwn = isOneLoad(parent, resource) ? ofParent : load(resource, access);
    const [loadedParent, loadedOwn] = await Promise.all([ofParent, ofOwn]);
    return { own: loadedOwn, parent: loadedParent };
  };
}

const isOneLoad = (a: NamedResource, b: NamedResource): boolean =>
  a.loads === b.loads && a.ident === b.ident;
