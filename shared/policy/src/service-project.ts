import { isId, type JsonObject, memberOf } from './json-object.js';

/** A project as tokens state it, with what people call it. */
export interface NamedProject {
  /** The id or the name by which the switches know it. */
  readonly label: string;
  /** Its id in the claims. */
  readonly id: string;
  readonly claims: JsonObject;
}

/** A project of this name within the domain of the service project; its id is made from the name. */
export const projectNamed = (switches: JsonObject, name: string): NamedProject =>
  named(`id-of-${name}`, name, domainOf(switches));

/**
 * The project whose services the switches can elevate: identified by its id where `rbac_service_project_id` is set, else by its
 * name within its domain.
 * @param switches all switches of the policy, with those of the environment
 */
export function serviceProjectOf(switches: JsonObject): NamedProject {
  const id = memberOf(switches, 'rbac_service_project_id');
  if (isId(id)) return project(id, id);
  return projectNamed(switches, textOf(switches, 'rbac_service_project', 'service'));
}

/**
 * Projects that are not the service project and have its id as a name, its name as an id, or its name in another domain or
 * without a domain. No grant of the service project may reach them.
 * @param switches all switches of the policy, with those of the environment
 */
export function namesakesOf(switches: JsonObject): readonly NamedProject[] {
  const { label, id } = serviceProjectOf(switches);
  const domain = domainOf(switches);
  return [
    named('id-in-another-domain', label, `not-${domain}`),
    id === label
      ? named('id-of-namesake', label, domain)
      : project(label, label, { project_name: label }),
  ];
}

const named = (id: string, name: string, domain: string): NamedProject =>
  project(name, id, { project_name: name, project_domain_id: domain });

const domainOf = (switches: JsonObject): string =>
  textOf(switches, 'rbac_service_project_domain', 'default');

const project = (label: string, id: string, names: JsonObject = {}): NamedProject => ({
  label,
  id,
  claims: { project_id: id, ...names },
});

function textOf(switches: JsonObject, name: string, fallback: string): string {
  const value = memberOf(switches, name);
  return isId(value) ? value : fallback;
}
