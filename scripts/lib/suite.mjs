// How a suite tells its caller that it cannot run on this machine: neither passed nor failed.

/** Exit status of a suite that cannot run here, as Automake has it. */
export const SKIPPED = 77;

/** Why a suite cannot run here; the message completes "skipped: …". */
export class CannotRunHere extends Error {}

/** Runs a suite to its exit status; ends the process with it. */
export async function endWith(suite) {
  try {
    process.exit(await suite());
  } catch (error) {
    const skipped = error instanceof CannotRunHere;
    console.error(skipped ? `skipped: ${error.message}` : (error.stack ?? error));
    process.exit(skipped ? SKIPPED : 1);
  }
}
