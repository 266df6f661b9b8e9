import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { configDriveOf } from './config-drive.js';

const drive = (configdrive: unknown, name: string | null = null): string | undefined =>
  configDriveOf(aNode({ uuid: 'u-1', name, instance_info: { configdrive } }));

describe('a configuration drive', () => {
  it.each(['H4sIAAAA', 'http://images.example/drive'])('%s is passed on as it is', (given) => {
    expect(drive(given)).toBe(given);
  });

  it.each([undefined, null, ''])('is none when it is %j', (given) => {
    expect(drive(given)).toBeUndefined();
  });

  it('of JSON is an image with the files that cloud-init looks for', () => {
    const given = {
      meta_data: { hostname: 'one' },
      network_data: { links: [] },
      user_data: '#!/bin/sh',
    };
    const image = gunzipSync(Buffer.from(drive(given, 'rack-1') ?? '', 'base64')).toString(
      'latin1',
    );
    expect(image).toContain('config-2');
    expect(image).toContain('{"uuid":"u-1","name":"rack-1","hostname":"one"}');
    expect(image).toContain('NETWORK_DATA.JSON;1');
    expect(image).toContain('{"links":[]}');
    expect(image).toContain('#!/bin/sh');
    expect(image).not.toContain('VENDOR_DATA2');
  });
});
