import { choiceOf, choiceText, chosenPlace } from '../core/compare/choice';
import { sortedPlaces } from '../core/plan/places/compare';
import { placeGroups } from '../core/plan/places/order';
import { suitablePlaces } from '../core/plan/places/suitable';
import { catalogPlaces, withCount } from '../core/compare/place';
import { definitionText, dialectName } from '../core/dialects/defined/text';
import { starterOfRun } from '../core/launch/launch';
import { COMMON_GB, commonGpus, typedChoices } from '../core/hardware/choices';
import { parseTarget } from '../core/hardware/target';
import { measuredRun } from '../core/analyse/measuredRun';
import { describedModelText, likeModelText, unknownHubModel } from '../core/analyse/unknownModel';
import { GOALS, goalWords } from '../core/plan/goals';
import { outcomeOf } from '../core/plan/outcome';
import { memoryBar, swatch } from '../core/render/bar';
import { lengthBars } from '../core/render/lengthBars';
import { comparePage, countsText, hereText, placeTexts } from '../core/render/compare';
import { explanation } from '../core/render/explanation';
import { describeGpu, describeTarget } from '../core/hardware/describe';
import { hover } from '../core/render/hover';
import { keyNote, keyNoteSentences } from '../core/render/keyNote';
import { sharedBatchArithmetic } from '../core/spec/batchArithmetic';
import { fittingGpusText, noneHeadline } from '../core/render/sentences';
import { fixTitle, planRow, planTitle } from '../core/render/fix';
import { lensTexts, lensTooltip } from '../core/render/lens';
import { formerValues, partialText, partLabel, partTexts } from '../core/render/parts';
import { measurementChart } from '../core/render/measurementChart';
import { planChart, stepChart } from '../core/render/planChart';
import { planPage } from '../core/render/planPage';
import { relatedPlaces } from '../core/render/related';
import { shortAnswer } from '../core/render/statusBar';
import { onceEach, summaryText } from '../core/render/summary';
import { answer, whyUnknown } from '../core/render/verdict';

/** Its own chunk: what core has for answers, loaded when the first config of ours is seen. It reads no file. */
export const core = {
  catalogPlaces,
  suitablePlaces,
  withCount,
  inOrder: sortedPlaces,
  placeGroups,
  placeTexts,
  comparePage,
  countsText,
  hereText,
  choiceOf,
  choiceText,
  chosenPlace,
  parseTarget,
  typedChoices,
  commonGpus,
  commonGB: COMMON_GB,
  describeGpu,
  describeTarget,
  answer,
  shortAnswer,
  lensTexts,
  lensTooltip,
  fixTitle,
  unknownHubModel,
  describedModelText,
  likeModelText,
  goals: GOALS,
  goalWords,
  planTitle,
  planRow,
  noneHeadline,
  fittingGpusText,
  planChart,
  stepChart,
  planPage,
  outcomeOf,
  partLabel,
  partTexts,
  partialText,
  formerValues,
  whyUnknown,
  summaryText,
  onceEach,
  sharedBatchArithmetic,
  measuredRun,
  starterOfRun,
  hover,
  definitionText,
  dialectName,
  keyNote,
  keyNoteSentences,
  lengthBars,
  memoryBar,
  swatch,
  relatedPlaces,
  explanation,
  measurementChart,
};
