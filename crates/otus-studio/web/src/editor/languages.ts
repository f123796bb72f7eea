// Colours of the languages, by word. They are for reading only; what a text means is told by the server.
import { StreamLanguage, type StreamParser } from '@codemirror/language';

interface Look {
  comment: RegExp;
  meta?: RegExp;
  keyword: RegExp;
  operator: RegExp;
  string?: RegExp;
}

/** In a document, only fences have a language; `inside` says whether the reader is in one. */
interface Reading {
  inside: boolean;
}

const parser = ({ comment, meta, keyword, operator, string }: Look, isDocument: boolean): StreamParser<Reading> => ({
  startState: () => ({ inside: !isDocument }),
  token(stream, state) {
    if (isDocument && stream.sol() && stream.match(/^\s*```.*/)) {
      state.inside = !state.inside;
      return 'meta';
    }
    if (!state.inside) {
      const isHeading = stream.sol() && stream.match(/^#+\s/, false);
      stream.skipToEnd();
      return isHeading ? 'keyword' : null;
    }
    if (stream.eatSpace()) return null;
    if (meta && stream.match(meta)) return 'meta';
    if (stream.match(comment)) return 'comment';
    if (string && stream.match(string)) return 'string';
    if (stream.match(operator)) return 'operator';
    if (stream.match(/^\d[\w.]*/)) return 'number';
    const word = stream.match(/^[\p{L}_@][\p{L}\p{N}_\-.]*/u) as RegExpMatchArray | null;
    if (word) return keyword.test(word[0]) ? 'keyword' : null;
    stream.next();
    return null;
  },
});

const LOOKS: Record<string, Look> = {
  mermaid: {
    meta: /^%%\s*otus:.*/,
    comment: /^%%.*/,
    keyword: /^(sequenceDiagram|participant|actor|as|alt|else|opt|loop|par|and|critical|option|break|rect|note|Note|over|left|right|of|end|activate|deactivate|autonumber|box|title|create|destroy)$/,
    operator: /^(<<)?(--?>>?|--?[x)]|-->>|->>)[+-]?|^:/,
  },
  plantuml: {
    meta: /^'\s*otus:.*/,
    comment: /^'.*|^\/'.*?'\//,
    keyword: /^(@startuml|@enduml|participant|actor|database|queue|control|boundary|entity|collections|as|alt|else|opt|loop|par|group|critical|break|note|over|left|right|of|end|activate|deactivate|return|title|skinparam|autonumber|ref|box|create|destroy)$/,
    operator: /^<?-+(\[[^\]]*\])?-*>?>?|^:/,
    string: /^"[^"]*"/,
  },
  interaction: {
    comment: /^\/\/.*|^#.*/,
    meta: /^@\w+/,
    keyword: /^(loop_\w+|seq|strict|par|coreg|alt|opt|loopS|loopW|loopP|loopH|o|empty|message|lifeline|gate|AG|EG|AF|EF|AX|EX|A|E|U|R|W|and|or|not|true|false|forall|exists|at_most_one|mutex)$/,
    operator: /^(--|->|<-|=>|&&|\|\||[!?<>=&|]+)/,
    string: /^"[^"]*"/,
  },
  toml: {
    comment: /^#.*/,
    meta: /^\[\[?[^\]]*\]\]?/,
    keyword: /^(spec|name|files|format|lifeline|peer|group|match|message|dir|emit|ignore|reply|complete|may_stop_early|true|false)$/,
    operator: /^[={},]/,
    string: /^("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\]|\\.)*"|'[^']*')/,
  },
  markdown: {
    meta: /^%%\s*otus:.*|^'\s*otus:.*/,
    comment: /^%%.*|^'.*/,
    keyword: /^(sequenceDiagram|@startuml|@enduml|participant|actor|as|alt|else|opt|loop|par|and|group|critical|break|note|Note|over|of|end)$/,
    operator: /^(<<)?(--?>>?|--?[x)])[+-]?|^:/,
  },
};

/** The language of a file, by its ending. */
export const languageOf = (path: string): StreamLanguage<Reading> => {
  const name = path.replace(/#.*$/, '');
  const language = /\.(mmd|mermaid)$/.test(name) ? 'mermaid' : /\.(puml|plantuml|pu|wsd)$/.test(name) ? 'plantuml'
    : /\.toml$/.test(name) ? 'toml' : /\.md$/.test(name) ? 'markdown' : 'interaction';
  return StreamLanguage.define(parser(LOOKS[language] as Look, language === 'markdown'));
};
