import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { installed, until } from '../processes';

/** Why accounting is not available here; null if it is. */
export const whyNoAccounting = (): string | null =>
  installed('slurmdbd', 'slurmdbd') ?? installed('mariadbd', 'mariadb-server');

/**
 * The server that sacct queries: slurmdbd with a database, both in their own folder. They end with the cluster, by
 * its folder.
 */
export class SlurmAccounting {
  /** Returns the lines of slurm.conf that name it. */
  async start(folder: string, port: number): Promise<string> {
    await database(folder, port + 1);
    const host = hostname().split('.')[0] ?? 'localhost';
    const conf = join(folder, 'slurmdbd.conf');
    writeFileSync(conf, dbdConf(folder, host, port), { mode: 0o600 });
    const ran = spawnSync('slurmdbd', [], {
      env: { ...process.env, SLURM_CONF: conf },
      encoding: 'utf8',
      timeout: 15_000,
    });
    if (ran.status !== 0) throw new Error(`slurmdbd: ${ran.stderr}`);
    // Without an answer from it, the controller exits immediately.
    const log = () => {
      const file = join(folder, 'log', 'slurmdbd.log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    await until(() => /slurmdbd version \S+ started/.test(log()), log);
    return `${[
      'AccountingStorageType=accounting_storage/slurmdbd',
      `AccountingStorageHost=${host}`,
      `AccountingStoragePort=${port}`,
      `AccountingStoragePass=${folder}/munge/socket`,
      'AccountingStorageTRES=gres/gpu',
    ].join('\n')}\n`;
  }
}

const dbdConf = (folder: string, host: string, port: number): string => `AuthType=auth/munge
AuthInfo=socket=${folder}/munge/socket
DbdHost=${host}
DbdAddr=127.0.0.1
DbdPort=${port}
SlurmUser=${userInfo().username}
LogFile=${folder}/log/slurmdbd.log
PidFile=${folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=${port + 1}
StorageUser=slurm
StoragePass=test
StorageLoc=slurm_acct
`;

async function database(folder: string, port: number): Promise<void> {
  const user = userInfo().username;
  const data = join(folder, 'db');
  const socket = join(folder, 'db.sock');
  mkdirSync(data);
  const made = spawnSync(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--user=${user}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { encoding: 'utf8', timeout: 60_000 },
  );
  if (made.status !== 0) throw new Error(`mariadb-install-db: ${made.stderr}`);
  const server = spawn(
    'mariadbd',
    [
      '--no-defaults',
      `--user=${user}`,
      `--datadir=${data}`,
      `--socket=${socket}`,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      `--pid-file=${folder}/mariadbd.pid`,
      '--innodb-buffer-pool-size=64M',
      '--innodb-flush-log-at-trx-commit=0',
      `--log-error=${folder}/log/mariadb.log`,
    ],
    { stdio: 'ignore', detached: true },
  );
  server.unref();
  const ask = (sql: string) => {
    return spawnSync('mariadb', ['--no-defaults', `--socket=${socket}`, '-uroot', '-e', sql], {
      encoding: 'utf8',
    });
  };
  await until(
    () => ask('select 1').status === 0,
    () => ask('select 1').stderr,
  );
  const granted = ask(
    "create user 'slurm'@'127.0.0.1' identified by 'test'; grant all on *.* to 'slurm'@'127.0.0.1';",
  );
  if (granted.status !== 0) throw new Error(`mariadb: ${granted.stderr}`);
}
