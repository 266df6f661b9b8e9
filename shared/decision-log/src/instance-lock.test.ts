import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { lockInstance } from './instance-lock.js';

const aRoot = (): string => mkdtempSync(path.join(tmpdir(), 'tenure-instances-'));

describe('the directory of an instance', () => {
  it('is its own again after a restart, also when it was killed', () => {
    const root = aRoot();
    const killed = lockInstance(root, 'pdp-1');
    expect(killed.instance).toBe('pdp-1');
    writeFileSync(path.join(killed.dir, 'writer.lock'), '4194304\nnode\0server.js\0');
    expect(lockInstance(root, 'pdp-1').dir).toBe(killed.dir);
  });

  it('is another one while another process writes there', () => {
    const root = aRoot();
    const other = spawn('sleep', ['60']);
    try {
      const command = readFileSync(`/proc/${String(other.pid)}/cmdline`, 'utf8');
      const { dir } = lockInstance(root, 'pdp-1');
      writeFileSync(path.join(dir, 'writer.lock'), `${String(other.pid)}\n${command}`);
      expect(lockInstance(root, 'pdp-1').instance).toBe('pdp-1-2');
    } finally {
      other.kill();
    }
  });
});
