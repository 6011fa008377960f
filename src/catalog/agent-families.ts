/**
 * The families that agents are counted under. A client names itself, and anybody can make up names; each new name would
 * be a new row. So a name counts for the family it belongs to, and every other name counts as `other`.
 */

/** In order: the first that fits decides, so assistants come before the libraries and browsers they are built on. */
const FAMILIES: ReadonlyArray<readonly [family: string, pattern: RegExp]> = [
  ['Claude', /claude|anthropic/i],
  ['ChatGPT', /chatgpt|openai|\boai\b|codex/i],
  ['Gemini', /gemini|google/i],
  ['Copilot', /copilot|bing|microsoft/i],
  ['Perplexity', /perplexity/i],
  ['Mistral', /mistral|le ?chat\b/i],
  ['Grok', /\bgrok|\bx\.ai\b|\bxai\b/i],
  ['Meta AI', /\bmeta[- ]?(?:ai|external)|facebook/i],
  ['DeepSeek', /deepseek/i],
  ['Qwen', /qwen|alibaba/i],
  ['Kimi', /\bkimi\b|moonshot/i],
  ['Amazon', /amazon|\bamzn/i],
  ['Apple', /apple(?!webkit)/i],
  ['Cursor', /cursor/i],
  ['VS Code', /visual studio code|\bvs ?code/i],
  ['Windsurf', /windsurf/i],
  ['Zed', /\bzed\b/i],
  ['Cline', /\bcline\b/i],
  ['Goose', /\bgoose\b/i],
  ['LangChain', /lang(?:chain|graph)/i],
  ['MCP Inspector', /mcp[- ]?inspector/i],
  ['Python', /python|httpx|aiohttp/i],
  ['Node.js', /\bnode\b|undici|axios|\bgot\b|\bbun\b|\bdeno\b/i],
  ['Go', /go-http-client/i],
  ['Java', /\bjava\b|okhttp/i],
  ['curl', /\bcurl\b|wget/i],
  ['Browser', /mozilla/i],
]
const OTHER = 'other'
const LONGEST_NAME = 300

export const AGENT_FAMILIES: readonly string[] = [...FAMILIES.map(([family]) => family), OTHER]

/** A name that is a family's own stays as it is, so folding twice changes nothing. */
export function agentFamily(name: string): string {
  if (AGENT_FAMILIES.includes(name)) return name
  const read = name.slice(0, LONGEST_NAME)
  return FAMILIES.find(([, pattern]) => pattern.test(read))?.[0] ?? OTHER
}
