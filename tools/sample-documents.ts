import { encodeQR } from 'qr'
import type { CardHolderData, TemplateData } from '../src/domains/cover/documents/template-data.ts'
import { DOCUMENT_KINDS } from '../src/domains/cover/documents/document-urls.ts'

/** The input of all templates, as JSON: each uses some of it. */
export type DocumentData = Omit<TemplateData, 'application'> & {
  application: { [Field in keyof Application]: Application[Field] | null }
  card: CardHolderData
  check: { url: string; qr: string }
}
type Application = NonNullable<TemplateData['application']>

/** As long as a URL with a signed token. */
const CHECK_URL = `https://api.example.com/C/${'B4X52C359HS8CEYB'.repeat(8)}`

const POLICY: DocumentData['policy'] = {
  number: 'SG-2026-000123',
  reference: 'K7Q9-T3V6-W0Y2',
  id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
  master_number: 'MP-77',
  benefit: 'Family health cover',
  plan: 'Family floater of ₹5 lakh',
  insurer: 'Suraksha General',
  insurer_address: null,
  colour: null,
  sponsor: 'Banyan Textiles',
  from: '1 April 2026',
  cover_from: null,
  to: '31 March 2027',
  term: '12 months',
  period: '12 months',
  issue: 1,
  issued_on: '3 April 2026',
  renewal_opens: '1 March 2027',
  renewal_window: '30 days',
  grace: '30 days',
  is_covered_in_grace: true,
  grace_ends: '30 April 2027',
}

const FAMILY: DocumentData = {
  made_on: '3 April 2026',
  origin: 'https://api.example.com',
  policy: POLICY,
  member: { number: '1', title: 'Ms', name: 'Asha Example', born: '17 May 1990', gender: 'Female' },
  dependants: [
    { number: '2', name: 'Ravi Example', born: '2 August 2015', covered: null },
    { number: '3', name: 'Asha Example', born: '30 November 2018', covered: 'from 1 December 2026' },
  ],
  nominee: { name: 'Ravi Example' },
  premium: { annual: '₹12,045.00', daily: '₹33.00', sponsor: '₹6,022.50', member: '₹6,022.50' },
  application: {
    applied_on: '1 April 2026',
    phone: '+91 9876543210',
    email: 'asha@example.com',
    address: ['12 MG Road', 'Bengaluru 560001', 'Karnataka, India'],
    questions: [
      { question: 'Do you smoke?', answer: 'No' },
      { question: 'Were you in hospital in the last five years? If so, for what?', answer: 'Yes: a broken arm, 2023' },
      { question: 'Do you take medicine regularly?', answer: 'No' },
    ],
  },
  card: { name: 'Asha Example', number: '1', born: '17 May 1990', relation: 'Member' },
  check: { url: CHECK_URL, qr: encodeQR(CHECK_URL.toUpperCase(), 'svg', { ecc: 'medium', border: 4 }) },
}

/** The example name in each script of the fonts. */
export const NAMES = {
  Latin: 'Asha Example',
  Devanagari: 'आशा उदाहरण',
  Bengali: 'আশা উদাহরণ',
  Tamil: 'ஆஷா எடுத்துக்காட்டு',
  Telugu: 'ఆశా ఉదాహరణ',
  Kannada: 'ಆಶಾ ಉದಾಹರಣೆ',
  Malayalam: 'ആശാ ഉദാഹരണം',
  Gujarati: 'આશા ઉદાહરણ',
  Gurmukhi: 'ਆਸ਼ਾ ਉਦਾਹਰਨ',
  Oriya: 'ଆଶା ଉଦାହରଣ',
  Arabic: 'آشا مثال',
  'Ol Chiki': 'ᱟᱥᱟ ᱫᱟᱹᱭᱠᱟᱹ',
  'Meetei Mayek': 'ꯑꯥꯁꯥ ꯈꯨꯗꯝ',
}

const names = Object.values(NAMES)
const longest = (text: string, length: number) => `${text} `.repeat(length).slice(0, length).trim()

const person = (name: string, index: number) => ({
  number: String(index + 2),
  name,
  born: '2 August 2015',
  covered: null as string | null,
})

const SCRIPTS: DocumentData = {
  ...FAMILY,
  policy: {
    ...POLICY,
    is_covered_in_grace: false,
    insurer: 'सुरक्षा जनरल',
    sponsor: 'ബന്യൻ ടെക്സ്റ്റൈൽസ്',
    benefit: 'குடும்ப நலக் காப்பீடு',
    issue: 2,
  },
  member: { ...FAMILY.member, title: 'श्रीमती', name: NAMES.Devanagari },
  dependants: names.map(person),
  nominee: { name: NAMES.Telugu },
  application: {
    ...FAMILY.application,
    address: ['೧೨ ಎಂ.ಜಿ. ರಸ್ತೆ', 'ಬೆಂಗಳೂರು ೫೬೦೦೦೧', 'ಕರ್ನಾಟಕ'],
    questions: names.map((name) => ({ question: `${name}?`, answer: name })),
  },
  card: { ...FAMILY.card, name: NAMES.Kannada },
}

/** Every text and list at its maximum length. */
const CROWD: DocumentData = {
  ...FAMILY,
  policy: {
    ...POLICY,
    number: 'W'.repeat(200),
    master_number: longest('MP-77', 200),
    benefit: longest('Family health cover', 200),
    plan: 'FAMILY_5L_'.repeat(20),
    insurer: longest('Suraksha General', 200),
    sponsor: 'Banyantextiles'.repeat(14),
  },
  member: { ...FAMILY.member, title: longest('Ms', 50), name: longest(NAMES.Malayalam, 400) },
  dependants: Array.from({ length: 50 }, (_, index) =>
    person(
      index % 5 === 0
        ? 'W'.repeat(400)
        : longest(index % 2 ? (names[index % names.length] ?? '') : 'Ravi Example', 400),
      index,
    ),
  ),
  nominee: { name: longest(NAMES.Tamil, 400) },
  application: {
    ...FAMILY.application,
    email: `${'asha'.repeat(16)}@${'example.'.repeat(20)}com`,
    address: [longest('12 MG Road', 500), longest(NAMES.Kannada, 500), 'Karnataka'.repeat(50)],
    questions: Array.from({ length: 100 }, (_, index) => ({
      question: longest('Were you in hospital in the last five years?', 500),
      answer: index % 2 ? longest('No, not once.', 500) : 'M'.repeat(500),
    })),
  },
  card: {
    ...FAMILY.card,
    name: longest(NAMES.Malayalam, 400),
    number: '2',
    relation: 'Dependant',
  },
}

/** Every optional value is missing. */
const BARE: DocumentData = {
  ...FAMILY,
  policy: { ...POLICY, master_number: null, issued_on: null, grace_ends: null, grace: '0 days' },
  member: { number: '1', title: null, name: null, born: null, gender: null },
  dependants: [],
  nominee: null,
  application: { applied_on: null, phone: null, email: null, address: null, questions: null },
  card: { ...FAMILY.card, name: 'Name not recorded', born: null },
}

/** A large family, and an insurer with an address and a colour of its own. */
const KIN: DocumentData = {
  ...FAMILY,
  policy: {
    ...POLICY,
    number: POLICY.reference,
    issue: 2,
    insurer_address: '4th floor, Example House, 12 MG Road, Bengaluru 560001, Karnataka, India',
    colour: '#8a1538',
  },
  dependants: Array.from({ length: 10 }, (_, index) => person(names[index] ?? '', index)),
}

export const SAMPLES: Record<string, DocumentData> = {
  family: FAMILY,
  kin: KIN,
  scripts: SCRIPTS,
  crowd: CROWD,
  bare: BARE,
}

export const TEMPLATES = DOCUMENT_KINDS.map(({ template }) => template)
