#!/usr/bin/env bash
# One node of Kubernetes, in the namespaces that cluster.sh made: everything here ends with this process.
# Usage: inside.sh BINARIES DIRECTORY     writes DIRECTORY/ready when the node is ready
set -euo pipefail
bin=$1 run=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
node_ip=10.210.0.1 pods=10.211.0.0/24 services=10.96.0.0/16
export PATH=$bin:/usr/local/sbin:/usr/sbin:/sbin:$PATH KUBECONFIG=$run/admin.kubeconfig
mkdir -p "$run"/{log,pki,etc,cni}

say() { printf 'cluster: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }
daemon() { local name=$1; shift; "$@" >"$run/log/$name.log" 2>&1 & }
until_true() { # SECONDS WHAT COMMAND…
  local left=$(($1 * 4)) what=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1)); [ "$left" -gt 0 ] || fail "$what did not come about"
    sleep 0.25
  done
}

# Mounts of pods are seen here and nowhere else.
mount --make-rslave /
mount --make-rshared /
# Where kubelet, plugins and runtime leave files, whatever their settings say.
for folder in /var/log /var/lib/cni /run/netns; do
  mkdir -p "$folder"
  mount -t tmpfs tmpfs "$folder"
done
ip link set lo up
ip link add node0 type veth peer name node0-end
ip addr add $node_ip/32 dev node0
ip link set node0-end up
ip link set node0 up
# kube-proxy asks which way out is; there is none.
ip route add default dev node0
echo 1 > /proc/sys/net/ipv4/ip_forward

# --- certificates
cd "$run/pki"
ca() { openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.crt" 2>/dev/null; }
certificate() { # NAME SUBJECT [SAN]
  openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out "$1.crt" \
    -extfile <(printf 'extendedKeyUsage=serverAuth,clientAuth\n%s\n' "${3:+subjectAltName=$3}") 2>/dev/null
}
if [ ! -f ca.crt ]; then
  ca ca
  certificate apiserver /CN=kube-apiserver "IP:127.0.0.1,IP:$node_ip,IP:10.96.0.1,DNS:kubernetes.default.svc"
  certificate admin /O=system:masters/CN=admin
  certificate kube-controller-manager /CN=system:kube-controller-manager
  certificate kube-scheduler /CN=system:kube-scheduler
  certificate kube-proxy /CN=system:kube-proxy
  certificate kubelet /O=system:nodes/CN=system:node:node "IP:$node_ip,DNS:node"
  openssl genrsa -out accounts.key 2048 2>/dev/null
fi
for who in admin kube-controller-manager kube-scheduler kube-proxy kubelet; do
  kubectl config --kubeconfig "$run/$who.kubeconfig" set-cluster own --server "https://$node_ip:6443" \
    --certificate-authority "$run/pki/ca.crt" --embed-certs >/dev/null
  kubectl config --kubeconfig "$run/$who.kubeconfig" set-credentials "$who" --client-certificate "$run/pki/$who.crt" \
    --client-key "$run/pki/$who.key" --embed-certs >/dev/null
  kubectl config --kubeconfig "$run/$who.kubeconfig" set-context own --cluster own --user "$who" >/dev/null
  kubectl config --kubeconfig "$run/$who.kubeconfig" use-context own >/dev/null
done
cd /

# --- control plane
daemon etcd etcd --data-dir "$run/etcd" --listen-client-urls http://127.0.0.1:2379 \
  --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
daemon kube-apiserver kube-apiserver --etcd-servers http://127.0.0.1:2379 --advertise-address $node_ip \
  --service-cluster-ip-range $services --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
  --client-ca-file "$run/pki/ca.crt" --tls-cert-file "$run/pki/apiserver.crt" --tls-private-key-file "$run/pki/apiserver.key" \
  --kubelet-client-certificate "$run/pki/admin.crt" --kubelet-client-key "$run/pki/admin.key" \
  --kubelet-certificate-authority "$run/pki/ca.crt" --kubelet-preferred-address-types InternalIP \
  --service-account-key-file "$run/pki/accounts.key" --service-account-signing-key-file "$run/pki/accounts.key" \
  --service-account-issuer https://kubernetes.default.svc
until_true 90 'the API server' kubectl get --raw /readyz
daemon kube-controller-manager kube-controller-manager --kubeconfig "$run/kube-controller-manager.kubeconfig" \
  --service-account-private-key-file "$run/pki/accounts.key" --root-ca-file "$run/pki/ca.crt" \
  --use-service-account-credentials --leader-elect=false
daemon kube-scheduler kube-scheduler --kubeconfig "$run/kube-scheduler.kubeconfig" --leader-elect=false

# --- node
cat > "$run/etc/containerd.toml" <<END
version = 2
root = "$run/containerd/root"
state = "$run/containerd/state"
[grpc]
  address = "$run/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/library/cluster-pause:local"
  # Where the machine does not let us protect a process from the kernel that looks for memory, none is protected.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$run/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
END
# Every pod has a link of its own to the node, and no other way: so policies see whatever goes from one to another.
cat > "$run/cni/10-pods.conflist" <<END
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "ptp", "ipMasq": false, "mtu": 1500,
   "ipam": {"type": "host-local", "dataDir": "$run/ipam", "ranges": [[{"subnet": "$pods"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
END
cat > "$run/etc/kubelet.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $node_ip
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $run/pki/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: $run/pki/kubelet.crt
tlsPrivateKeyFile: $run/pki/kubelet.key
cgroupDriver: cgroupfs
cgroupRoot: /tenure-cluster
failCgroupV1: false
failSwapOn: false
clusterDomain: cluster.local
clusterDNS: [10.96.0.10]
resolvConf: $run/etc/resolv.conf
containerRuntimeEndpoint: unix://$run/containerd.sock
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
registerWithTaints: []
END
: > "$run/etc/resolv.conf"
find /sys/fs/cgroup -maxdepth 1 -mindepth 1 -type d -exec mkdir -p '{}/tenure-cluster' \;
for file in cpuset.cpus cpuset.mems; do
  cat "/sys/fs/cgroup/cpuset/$file" > "/sys/fs/cgroup/cpuset/tenure-cluster/$file"
done
# All pods together are one of the loads of the machine: on a busy one they would starve.
echo 16384 > /sys/fs/cgroup/cpu/tenure-cluster/cpu.shares
daemon containerd containerd --config "$run/etc/containerd.toml"
until_true 30 containerd ctr -a "$run/containerd.sock" version
for image in "$run"/images/*.tar; do
  ctr -a "$run/containerd.sock" -n k8s.io images import "$image" >/dev/null
done
daemon kubelet kubelet --config "$run/etc/kubelet.yaml" --kubeconfig "$run/kubelet.kubeconfig" --hostname-override node \
  --node-ip $node_ip --root-dir "$run/kubelet" --cert-dir "$run/pki"
# The limits of the machine's connection tracking are none of ours to set.
daemon kube-proxy kube-proxy --kubeconfig "$run/kube-proxy.kubeconfig" --hostname-override node --cluster-cidr $pods \
  --proxy-mode iptables --conntrack-max-per-core 0 --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0
until_true 90 'the node' kubectl wait --for condition=Ready node/node --timeout 1s
kubectl apply -f "$here/dns.yaml" >/dev/null
until_true 90 'the name service' kubectl -n kube-system rollout status deployment/coredns --timeout 1s
daemon policies node "$here/policies.mjs"
touch "$run/ready"
say "ready; KUBECONFIG=$KUBECONFIG"
wait
