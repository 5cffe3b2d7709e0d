declare module 'parse-prometheus-text-format' {
  interface Sample {
    readonly labels?: Record<string, string>;
    readonly value?: string;
  }
  interface MetricFamily {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly Sample[];
  }
  function parse(text: string): readonly MetricFamily[];
  export = parse;
}
