import type { Pack } from '../dialect';

/** Speech from text: shivammehta25/Matcha-TTS, and fishaudio/fish-speech, which trains in the same way. */
export const matchaTts: Pack = {
  id: 'matcha-tts',
  project: 'shivammehta25/Matcha-TTS; fishaudio/fish-speech',
  extends: ['hydra'],
  evidence: { modules: ['matcha', 'fish_speech'] },
  task: 'tts',
};
