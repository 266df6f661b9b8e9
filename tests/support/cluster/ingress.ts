import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cleanEnvironment } from '../paths.js';
import { freePort, start, stopGroup } from '../processes.js';
import { eventually } from '../wait.js';

/** An nginx in front of the gateways. */
export interface Ingress {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * @param upstream port of the gateways' Service
 * @param forwardedFor what nginx makes of the client's own `X-Forwarded-For`: puts its own in its place, or appends to it
 */
export async function startIngress(
  directory: string,
  upstream: number,
  forwardedFor: '$remote_addr' | '$proxy_add_x_forwarded_for' = '$remote_addr',
): Promise<Ingress> {
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const file = path.join(directory, 'nginx.conf');
  writeFileSync(file, configuration(port, upstream, forwardedFor));
  const clean = cleanEnvironment();
  const started = start({
    command: 'nginx',
    args: ['-p', directory, '-c', file, '-e', 'error.log'],
    // Where Debian has it, which is not on everybody's path.
    env: { ...clean, PATH: `${clean['PATH'] ?? ''}:/usr/sbin` },
    cwd: directory,
    logFile: path.join(directory, 'nginx.log'),
  });
  const url = `http://127.0.0.1:${String(port)}`;
  await eventually(
    async () => (await fetch(`${url}/`)).status,
    (status) => status < 500,
    { what: 'answer through nginx' },
  );
  return { url, pid: started.pid, stop: () => stopGroup(started.pid, 5000) };
}

/**
 * The configuration that ingress-nginx writes for an Ingress, to a Service's one address. Its defaults, but for the timeouts: a gateway answers within
 * ten seconds, or not at all.
 */
const configuration = (port: number, upstream: number, forwardedFor: string): string => `
daemon off;
worker_processes 2;
pid nginx.pid;
error_log error.log warn;
events { worker_connections 1024; }
http {
  access_log access.log;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_timeout 75s;
  keepalive_requests 1000;
  client_max_body_size 1m;
  client_body_buffer_size 1m;
  large_client_header_buffers 4 8k;
  upstream gateways {
    server 127.0.0.1:${String(upstream)} max_fails=0;
    keepalive 320;
    keepalive_timeout 60s;
    keepalive_requests 10000;
  }
  server {
    listen 127.0.0.1:${String(port)};
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Request-ID $request_id;
      proxy_set_header X-Real-IP $remote_addr;
      proxy_set_header X-Forwarded-For ${forwardedFor};
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Port ${String(port)};
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_connect_timeout 5s;
      proxy_send_timeout 10s;
      proxy_read_timeout 10s;
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_next_upstream off;
    }
  }
}
`;
