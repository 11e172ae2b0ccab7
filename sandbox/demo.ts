type DemoSettings = { baseUrl: string; administratorToken: string; print: (text: string) => void }

/** Placeholder until the story is written. */
export async function loadDemo(_settings: DemoSettings): Promise<void> {}
