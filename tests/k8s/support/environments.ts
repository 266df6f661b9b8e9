import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import {
  type Container,
  containersOf,
  ofKind,
  type Objects,
  type Variable,
  type Volume,
  type Workload,
  workloadsOf,
} from './objects.js';
import { operatorMade } from './operator-made.js';

/** One process as a source of ours runs it: its variables in their order, and where it finds files. */
export interface Environment {
  /** The workload or service, which is named after its part. */
  readonly part: string;
  /** For people: the part, and the container when it is not the part's own. */
  readonly where: string;
  /** Whether it is the part's own process, which needs all that is required. */
  readonly isOwn: boolean;
  /** Later ones come over earlier ones; a name that is there twice is set twice. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  readonly mounts: readonly Mount[];
}

/** A directory or file that is put into the container; `keys` when the names of its files are defined. */
export interface Mount {
  readonly path: string;
  readonly keys?: readonly string[];
}

/** Values of the downward API, as an example. */
const FIELDS: Readonly<Record<string, (workload: Workload) => string>> = {
  'metadata.name': ({ metadata }) => `${metadata.name}-0`,
  'metadata.namespace': () => 'tenure',
  'status.podIP': () => '10.0.0.1',
};

const IMAGE = /(?:^|\/)tenure-(?<part>[a-z]+)(?::|@|$)/u;

/** The environments of the containers of a build. */
export const environmentsIn = (objects: Objects): readonly Environment[] =>
  workloadsOf(objects).flatMap((workload) => {
    const part = workload.metadata.name;
    return containersOf(workload.spec.template).map((container) => ({
      part,
      where: container.name === part ? part : `${part}/${container.name}`,
      isOwn: container.name === part,
      variables: variablesOf(container, workload, objects),
      mounts: mountsOf(container, workload, objects),
    }));
  });

/**
 * The environments of the parts of a compose file: those services whose image is one of Tenure's.
 * Anchors and merge keys are resolved. A service with another name than its part is a helper of that part.
 * @throws Error when it is no YAML
 */
export function environmentsInCompose(yaml: string): readonly Environment[] {
  const document = parseDocument(yaml, { merge: true });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const services = parseDocument(JSON.stringify(document.toJS())).get('services');
  if (!isMap(services)) return [];
  return services.items.flatMap(({ key, value }) => {
    const name = textOf(key);
    const image = isMap(value) ? interpolated(textOf(value.get('image', true))) : '';
    const part = IMAGE.exec(image)?.groups?.['part'];
    if (part === undefined || part === 'cli' || !isMap(value)) return [];
    return [
      {
        part,
        where: name,
        isOwn: name === part,
        variables: composeVariables(value.get('environment')),
        mounts: composeMounts(value),
      },
    ];
  });
}

const variablesOf = (container: Container, workload: Workload, objects: Objects) =>
  expanded([
    ...(container.envFrom ?? []).flatMap(({ configMapRef }) =>
      ofKind(objects, 'ConfigMap')
        .filter(({ metadata }) => metadata.name === configMapRef?.name)
        .flatMap(({ data = {} }) => Object.entries(data)),
    ),
    ...(container.env ?? []).map((variable): readonly [string, string] => [
      variable.name,
      valueOf(variable, workload),
    ]),
  ]);

const mountsOf = (container: Container, workload: Workload, objects: Objects): readonly Mount[] =>
  (container.volumeMounts ?? []).map(({ name, mountPath }) => {
    const volume = (workload.spec.template.spec.volumes ?? []).find((each) => each.name === name);
    const keys = volume === undefined ? undefined : keysOf(volume, objects);
    return { path: mountPath, ...(keys !== undefined && { keys }) };
  });

/** Kubernetes expands variables that are defined before, and leaves unknown references as they are. */
function expanded(
  variables: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const before = new Map<string, string>();
  return variables.map(([name, value]) => {
    const whole = value.replaceAll(
      /\$\((\w+)\)/gu,
      (same, other: string) => before.get(other) ?? same,
    );
    before.set(name, whole);
    return [name, whole];
  });
}

function valueOf({ name, value, valueFrom }: Variable, workload: Workload): string {
  const field = valueFrom?.fieldRef?.fieldPath;
  if (field === undefined) return value ?? '';
  const parsed = FIELDS[field];
  if (parsed === undefined) throw new Error(`${name}: ${field} has no example here`);
  return parsed(workload);
}

/** Which files are in a Secret or ConfigMap, by the build or by what k8s/README.md says of it. */
function keysOf({ secret, configMap }: Volume, objects: Objects): readonly string[] | undefined {
  const built = ofKind(objects, 'ConfigMap').find(
    ({ metadata }) => metadata.name === configMap?.name,
  );
  if (built !== undefined) return Object.keys(built.data ?? {});
  const [kind, name] =
    secret === undefined ? ['ConfigMap', configMap?.name] : ['Secret', secret.secretName];
  return operatorMade.find((made) => made.kind === kind && made.name === name)?.keys;
}

const textOf = (node: unknown): string =>
  isScalar<string | number | boolean | null>(node) ? String(node.value ?? '') : '';

/** Expands `${NAME:-default}` as compose does with nothing set outside; `$$` is a dollar sign. */
const interpolated = (text: string): string =>
  text.replaceAll(/\$\$|\$\{\w+(?::?-(?<fallback>[^}]*))?\}/gu, (match, fallback?: string) =>
    match === '$$' ? '$' : (fallback ?? ''),
  );

function composeVariables(node: unknown): readonly (readonly [string, string])[] {
  if (isMap(node))
    return node.items.map(({ key, value }) => [textOf(key), interpolated(textOf(value))]);
  if (!isSeq(node)) return [];
  return node.items.map((item) => {
    const [name = '', ...value] = textOf(item).split('=');
    return [name, interpolated(value.join('='))];
  });
}

function composeMounts(service: unknown): readonly Mount[] {
  if (!isMap(service)) return [];
  const targets = (key: string, short: (text: string) => string): readonly Mount[] => {
    const list = service.get(key);
    return !isSeq(list)
      ? []
      : list.items.map((item) => ({
          path: isMap(item) ? textOf(item.get('target', true)) : short(interpolated(textOf(item))),
        }));
  };
  return [
    ...targets('volumes', (text) => text.split(':')[1] ?? ''),
    ...targets('tmpfs', (text) => text.split(':')[0] ?? ''),
    ...targets('configs', (name) => `/${name}`),
    ...targets('secrets', (name) => `/run/secrets/${name}`),
  ].map((mount) =>
    // A secret's target is a name below that directory unless it is a path.
    mount.path.startsWith('/') ? mount : { ...mount, path: `/run/secrets/${mount.path}` },
  );
}
