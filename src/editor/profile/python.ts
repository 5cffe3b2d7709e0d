import { extensions } from 'vscode';
import type { Uri } from 'vscode';
import { setting } from '../../host/settings';

/** The API of the Python extension (its README, “API”: `@vscode/python-extension`). */
interface PythonExtensionApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource: Uri): EnvironmentPath;
    resolveEnvironment(environment: EnvironmentPath): Promise<ResolvedEnvironment | undefined>;
  };
}

interface EnvironmentPath {
  readonly id: string;
  readonly path: string;
}

interface ResolvedEnvironment {
  readonly executable: { readonly uri: Uri | undefined };
}

/** The Python of a config: the setting, else the one selected in the Python extension; '' means search for one. */
export async function pythonFor(resource: Uri): Promise<string> {
  const named = setting('python', resource);
  return named === '' ? ((await selectedFor(resource)) ?? '') : named;
}

/** Null without the extension, or if it has no valid selection. */
async function selectedFor(resource: Uri): Promise<string | null> {
  const extension = extensions.getExtension<PythonExtensionApi>('ms-python.python');
  if (!extension) return null;
  try {
    const { environments } = await extension.activate();
    const path = environments?.getActiveEnvironmentPath(resource);
    const found = path && (await environments?.resolveEnvironment(path));
    return found?.executable.uri?.fsPath ?? null;
  } catch {
    // If another extension fails, keep looking.
    return null;
  }
}
