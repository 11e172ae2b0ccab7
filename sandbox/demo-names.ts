/** Given names that are common in India, with the word for “example” in their script as the family’s. */
const FAMILIES: readonly { family: string; given: readonly string[] }[] = [
  {
    family: 'Example',
    given: ['Asha', 'Ravi', 'Meera', 'Arjun', 'Priya', 'Vikram', 'Lakshmi', 'Imran', 'Sunita', 'Joseph'],
  },
  { family: 'उदाहरण', given: ['आशा', 'रवि', 'मीना', 'अर्जुन', 'प्रिया', 'सुरेश', 'लक्ष्मी'] },
  { family: 'எடுத்துக்காட்டு', given: ['ஆஷா', 'ரவி', 'மீனா', 'கார்த்திக்', 'லட்சுமி'] },
  { family: 'উদাহরণ', given: ['আশা', 'রবি', 'মীনা', 'অর্জুন', 'প্রিয়া'] },
  { family: 'ಉದಾಹರಣೆ', given: ['ಆಶಾ', 'ರವಿ', 'ಮೀನಾ', 'ನಿಧಿ'] },
  { family: 'ఉదాహరణ', given: ['ఆశ', 'రవి', 'మీనా', 'సురేష్'] },
  { family: 'ઉદાહરણ', given: ['આશા', 'રવિ', 'મીના', 'જીગ્નેશ'] },
  { family: 'ഉദാഹരണം', given: ['ആശ', 'രവി', 'മീന', 'അനൂപ്'] },
  { family: 'ਉਦਾਹਰਣ', given: ['ਆਸ਼ਾ', 'ਰਵੀ', 'ਗੁਰਪ੍ਰੀਤ'] },
]

/** Given name and family name of each person, the scripts by turns. */
export const DEMO_NAMES: readonly (readonly [given: string, family: string])[] = FAMILIES.flatMap(
  ({ family, given }, turn) => given.map((name, round) => ({ order: round * FAMILIES.length + turn, name, family })),
)
  .toSorted((one, other) => one.order - other.order)
  .map(({ name, family }) => [name, family])

export const DEMO_ADDRESSES = [
  { line1: '14 झील रोड', city: 'पुणे', state: 'महाराष्ट्र', country: 'India', pincode: '411001' },
  { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' },
  { line1: '8 Park Street', city: 'Kolkata', state: 'West Bengal', country: 'India', pincode: '700016' },
] as const
