import { quotedText } from '../../../remote/quoted';
import { SSH_DEFAULTS, sshArguments } from '../../../remote/sshArguments';
import { nodeTalk } from '../../../remote/talk';

const MISSING = 'headroom-program-missing';

/** Whether a host has a program, as a job there would look for it. A host that does not answer is taken to have it: what follows says why. */
export function hasProgram(alias: string, program: string, configFile: string | null): Promise<boolean> {
  const ssh = { ...SSH_DEFAULTS, configFile };
  const talk = nodeTalk(ssh.path, sshArguments(ssh, alias, process.platform));
  return new Promise(resolve => {
    let said = '';
    talk.listen(
      bytes => (said += bytes.toString()),
      () => resolve(!said.includes(MISSING)),
    );
    void talk
      .write(`command -v ${quotedText(program) ?? "''"} >/dev/null 2>&1 || echo ${MISSING}\n`)
      .then(() => talk.end());
  });
}
