/** What becomes of a policy. The calendar decides the last four; CONTRIBUTING.md has the days. */
export type Story =
  | 'pending'
  | 'returned'
  | 'verification'
  | 'approved'
  | 'rejected'
  | 'issued'
  | 'corrected'
  | 'reissued'
  | 'missed'
  | 'ended'
  | 'uploaded'
  | 'due'
  | 'in_grace'
  | 'renewed'
  | 'lapsed'

export type Person = {
  first_name: string
  last_name: string
  proof?: string
  /** False: known by phone and name only. */
  isOnboarded?: false
  dependants?: string[]
  policies?: Story[]
  messages?: string[]
  /** The amounts that are credited, and debited where they are negative. */
  wallet?: number[]
  /** What the operator does with the wallet, unless it accepts it. */
  operator?: 'reject' | 'block'
  isErased?: true
}

/** Of the first platform. Their phones are 98000000 and their place in the list. */
export const PEOPLE: Person[] = [
  {
    first_name: 'Asha',
    last_name: 'Example',
    proof: 'ABCDE1234F',
    dependants: ['Ravi', 'Meera'],
    policies: ['issued', 'uploaded'],
    messages: ['I have had a fever since Monday.', 'Please rest for two days.\nThen write again.'],
    wallet: [500_00, -125_50, 1],
  },
  {
    first_name: 'आशा',
    last_name: 'उदाहरण',
    proof: 'P1234567',
    dependants: ['रवि', 'मीरा'],
    policies: ['corrected'],
    messages: ['नमस्ते, बेटी को सोमवार से बुखार है।', '38.5 °C'],
    wallet: [999_99],
  },
  { first_name: 'ஆஷா', last_name: 'எடுத்துக்காட்டு', dependants: ['ரவி'], policies: ['reissued'], messages: ['வணக்கம்'] },
  { first_name: 'ఆశా', last_name: 'ఉదాహరణ', proof: 'T7654321', dependants: ['రవి'], policies: ['missed'], wallet: [1] },
  { first_name: 'ಆಶಾ', last_name: 'ಉದಾಹರಣೆ', policies: ['pending'] },
  { first_name: 'আশা', last_name: 'উদাহরণ', dependants: ['রবি'], policies: ['verification', 'returned'] },
  { first_name: 'ആശ', last_name: 'ഉദാഹരണം', policies: ['approved'], messages: ['ഹലോ'], wallet: [], operator: 'reject' },
  { first_name: 'આશા', last_name: 'ઉદાહરણ', proof: 'G1112223', policies: ['rejected'], wallet: [], operator: 'block' },
  { first_name: 'ਆਸ਼ਾ', last_name: 'ਉਦਾਹਰਨ', dependants: ['ਰਵੀ'], policies: ['due'], wallet: [70_00, -70_00] },
  { first_name: 'ଆଶା', last_name: 'ଉଦାହରଣ', policies: ['in_grace', 'renewed'] },
  { first_name: 'آشا', last_name: 'مثال', dependants: ['روی'], policies: ['lapsed'], messages: ['سلام'] },
  { first_name: 'Zoë', last_name: 'O’Example-Ünal', dependants: ['José'], policies: ['ended'], wallet: [12_34] },
  { first_name: 'Ravi', last_name: 'Example', isOnboarded: false },
  { first_name: 'Meera', last_name: 'Example', isOnboarded: false, proof: 'Q9998887' },
  {
    first_name: 'Kabir',
    last_name: 'Example',
    dependants: ['Asha'],
    policies: ['ended'],
    messages: ['Bye'],
    isErased: true,
  },
]

/** Of the second platform, whose numbers are those of the first. */
export const OTHERS: Person[] = [
  {
    first_name: 'Asha',
    last_name: 'Elsewhere',
    proof: 'ABCDE1234F',
    dependants: ['Ravi'],
    policies: ['issued'],
    wallet: [5],
  },
  { first_name: 'Ravi', last_name: 'Elsewhere', isOnboarded: false },
]
