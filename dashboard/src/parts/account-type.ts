const NAMES: Readonly<Record<string, string>> = {
  SAVINGS: 'Savings',
  HSA: 'Health savings',
  EDUCATION: 'Education',
  SPONSOR: 'Sponsor',
}

export const accountTypeText = (type: string): string => NAMES[type] ?? type
