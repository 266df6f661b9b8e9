// The members of Kubernetes objects that the rules read, and no others. Everything may be missing that the API lets be missing.

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
}

export type Labels = Readonly<Record<string, string>>;

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

interface Capabilities {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

export interface SecurityContext {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly procMount?: string;
  readonly capabilities?: Capabilities;
  readonly seccompProfile?: { readonly type: string };
  readonly appArmorProfile?: { readonly type: string };
  readonly seLinuxOptions?: {
    readonly type?: string;
    readonly user?: string;
    readonly role?: string;
  };
  readonly windowsOptions?: { readonly hostProcess?: boolean };
  readonly sysctls?: readonly { readonly name: string }[];
}

export interface Handler {
  readonly httpGet?: { readonly port: string | number; readonly host?: string };
  readonly tcpSocket?: { readonly port: string | number; readonly host?: string };
  readonly exec?: object;
  readonly sleep?: { readonly seconds: number };
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly secretKeyRef?: object;
    readonly configMapKeyRef?: object;
  };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly hostPort?: number;
  }[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly subPathExpr?: string;
  }[];
  readonly securityContext?: SecurityContext;
  readonly startupProbe?: Handler;
  readonly livenessProbe?: Handler;
  readonly readinessProbe?: Handler;
  readonly lifecycle?: { readonly preStop?: Handler; readonly postStart?: Handler };
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
}

/** A volume: its name, and one member that says of what kind it is. */
export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string };
  readonly configMap?: { readonly name: string };
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

export interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly securityContext?: SecurityContext;
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string }[];
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
}

export interface Workload extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly podManagementPolicy?: string;
    readonly strategy?: {
      readonly type: string;
      readonly rollingUpdate?: { readonly maxUnavailable?: number; readonly maxSurge?: number };
    };
    readonly selector: Selector;
    readonly template: { readonly metadata: { readonly labels?: Labels }; readonly spec: PodSpec };
    readonly volumeClaimTemplates?: readonly { readonly metadata: Metadata }[];
  };
}

export interface Service extends KubeObject {
  readonly spec: {
    readonly clusterIP?: string;
    readonly selector?: Labels;
    readonly ports: readonly {
      readonly name?: string;
      readonly port: number;
      readonly targetPort?: string | number;
    }[];
  };
}

export interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string };
}

export interface PolicyRule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly protocol?: string; readonly port?: string | number }[];
}

export interface NetworkPolicy extends KubeObject {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly PolicyRule[];
    readonly egress?: readonly PolicyRule[];
  };
}

export interface Autoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly metrics?: readonly {
      readonly type: string;
      readonly resource?: { readonly name: string };
      readonly pods?: { readonly metric: { readonly name: string } };
    }[];
  };
}

export interface DisruptionBudget extends KubeObject {
  readonly spec: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector: Selector;
  };
}

export interface Ingress extends KubeObject {
  readonly spec: {
    readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
    readonly rules: readonly {
      readonly host?: string;
      readonly http: {
        readonly paths: readonly {
          readonly backend: {
            readonly service: {
              readonly name: string;
              readonly port: { readonly name?: string; readonly number?: number };
            };
          };
        }[];
      };
    }[];
  };
}

interface ConfigMap extends KubeObject {
  readonly data?: Labels;
}

interface ServiceAccount extends KubeObject {
  readonly automountServiceAccountToken?: boolean;
}

interface Kinds {
  readonly Deployment: Workload;
  readonly StatefulSet: Workload;
  readonly Service: Service;
  readonly NetworkPolicy: NetworkPolicy;
  readonly HorizontalPodAutoscaler: Autoscaler;
  readonly PodDisruptionBudget: DisruptionBudget;
  readonly Ingress: Ingress;
  readonly ConfigMap: ConfigMap;
  readonly ServiceAccount: ServiceAccount;
  readonly PersistentVolumeClaim: KubeObject;
  readonly Namespace: KubeObject;
}

export type Objects = readonly KubeObject[];

/** The objects of one kind. */
export const ofKind = <K extends keyof Kinds>(objects: Objects, kind: K): readonly Kinds[K][] =>
  objects.filter((object) => object.kind === kind) as unknown as readonly Kinds[K][]; // kubernetes-validate holds each kind against its schema

/** The kinds of objects that run pods. */
export const workloadsOf = (objects: Objects): readonly Workload[] => [
  ...ofKind(objects, 'Deployment'),
  ...ofKind(objects, 'StatefulSet'),
];

/** Every container of a pod, whenever it runs. */
export const containersOf = ({ spec }: Workload['spec']['template']): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
  ...(spec.ephemeralContainers ?? []),
];

/** Labels of the pods of a workload. */
export const podLabelsOf = (workload: Workload): Labels => ({
  ...workload.spec.template.metadata.labels,
  // The controller gives each pod one of its name; the first represents all here.
  ...(workload.kind === 'StatefulSet' && {
    'statefulset.kubernetes.io/pod-name': `${workload.metadata.name}-0`,
  }),
});

/** Whether a selector takes something with these labels; an empty one takes everything. */
export const selects = (selector: Selector, labels: Labels): boolean =>
  Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
  (selector.matchExpressions ?? []).every((expression) => holds(labels, expression));

function holds(
  labels: Labels,
  { key, operator, values = [] }: NonNullable<Selector['matchExpressions']>[number],
): boolean {
  const value = labels[key];
  if (operator === 'In') return value !== undefined && values.includes(value);
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  throw new Error(`${operator} is no operator of a selector`);
}
