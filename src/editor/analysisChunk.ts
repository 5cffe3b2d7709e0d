import { choiceOf, choiceText, chosenPlace } from '../core/compare/choice';
import { comparePlaces } from '../core/plan/places/compare';
import { inOrder } from '../core/plan/places/order';
import { catalogPlaces, withCount } from '../core/compare/place';
import { suggestionsAt } from '../core/dialects/defined/complete';
import { definitionText, dialectName } from '../core/dialects/defined/text';
import { definitionNoteAt, keyNoteAt } from '../core/dialects/keyNotes';
import { starterOfRun } from '../core/launch/launch';
import { parseTarget } from '../core/hardware/target';
import { measuredRun } from '../core/analyse/measuredRun';
import { GOALS, goalWords } from '../core/plan/goals';
import { outcomeOf } from '../core/plan/outcome';
import { memoryBar } from '../core/render/bar';
import { lengthBars } from '../core/render/lengthBars';
import { comparePage, countsText, hereText, placeTexts } from '../core/render/compare';
import { explanation } from '../core/render/explanation';
import { describeGpu, describeTarget } from '../core/hardware/describe';
import { hover } from '../core/render/hover';
import { keyNote, keyNoteLine } from '../core/render/keyNote';
import { batchArithmetic } from '../core/spec/batchArithmetic';
import { fittingGpusText } from '../core/render/fittingGpus';
import { fixTitle, planDetail, planLabel, planTitle } from '../core/render/fix';
import { lensTexts } from '../core/render/lens';
import { formerValues, partialText, partLabel, partTexts } from '../core/render/parts';
import { measurementChart } from '../core/render/measurementChart';
import { planChart } from '../core/render/planChart';
import { planPage } from '../core/render/planPage';
import { relatedPlaces } from '../core/render/related';
import { summaryText } from '../core/render/summary';
import { answer, whyUnknown } from '../core/render/verdict';
import { launchRun, work } from './fileAnalysis';

/** A chunk of its own: core, loaded when the first config of ours is seen. */
export const core = {
  work,
  comparePlaces,
  catalogPlaces,
  withCount,
  inOrder,
  placeTexts,
  comparePage,
  countsText,
  hereText,
  choiceOf,
  choiceText,
  chosenPlace,
  parseTarget,
  describeGpu,
  describeTarget,
  answer,
  lensTexts,
  fixTitle,
  goals: GOALS,
  goalWords,
  planTitle,
  planLabel,
  planDetail,
  fittingGpusText,
  planChart,
  planPage,
  outcomeOf,
  partLabel,
  partTexts,
  partialText,
  formerValues,
  whyUnknown,
  summaryText,
  batchArithmetic,
  launchRun,
  measuredRun,
  starterOfRun,
  hover,
  keyNoteAt,
  definitionNoteAt,
  suggestionsAt,
  definitionText,
  dialectName,
  keyNote,
  keyNoteLine,
  lengthBars,
  memoryBar,
  relatedPlaces,
  explanation,
  measurementChart,
};
