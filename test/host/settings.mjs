// Settings for a fresh VS Code. They go to <server data>/data/User/settings.json before the server starts.

/** No greetings, recommendations, updates or reports, for someone who looks at Headroom for a minute. */
export const calm = {
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  // The sample is in Headroom's own repository, so VS Code would ask about it.
  'git.openRepositoryInParentFolders': 'never',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};

/** Calm, and the same on every machine and in every picture. */
export const quiet = {
  ...calm,
  'editor.minimap.enabled': false,
  'files.autoSave': 'off',
  'git.enabled': false,
  'grunt.autoDetect': 'off',
  'gulp.autoDetect': 'off',
  'jake.autoDetect': 'off',
  'js/ts.tsc.autoDetect': 'off',
  'npm.autoDetect': 'off',
  'remote.autoForwardPorts': false,
  // The GPU renderer draws into a canvas; the plain one has rows that a test can read.
  'terminal.integrated.gpuAcceleration': 'off',
  'typescript.tsc.autoDetect': 'off',
  'window.autoDetectColorScheme': false,
  'window.confirmBeforeClose': 'never',
  'workbench.colorTheme': 'Dark Modern',
  'workbench.reduceMotion': 'on',
};

/** Restricted Mode for a careful user: no question at the start, a banner instead. */
export const restrictedMode = {
  'security.workspace.trust.banner': 'always',
  'security.workspace.trust.enabled': true,
  'security.workspace.trust.startupPrompt': 'never',
};
