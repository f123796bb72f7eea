//! Options of the HIBOU tools, given as text.
//!
//! The value of a flag is written as in a `.hcf` and read by the same grammar, so that
//! `--kind 'simulate[before = true, loop max depth]'` and all old spellings work.

use otus_core::{LifelineId, Signature};
use otus_syntax::ast::{Section, SpecFile};
use otus_syntax::options::{
    Generation, Logger, OptionSection, OptionValue, Process, TracegenOption,
};
use otus_syntax::{Source, parse_spec};
use otus_trace::multitrace::Partition;

use crate::error::{Result, unfit};

/// The options that a text sets, as if it stood in a section of a `.hcf`.
pub(crate) fn parse(process: Process, text: &str) -> Result<OptionSection> {
    let tree = tree(format!("@{}{{ {text} }}", process.keyword()), text)?;
    for section in tree.sections {
        if let Section::Options(section) = section {
            return Ok(section);
        }
    }
    unfit!("`{text}` sets no option")
}

/// The tree of a `.hcf`. `given` is the part of it that the user wrote.
fn tree(text: String, given: &str) -> Result<SpecFile> {
    let parsed = parse_spec(&Source::new("option", text));
    if let Some(fault) = parsed.diagnostics.iter().find(|found| found.is_error()) {
        let help = fault.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        unfit!("`{given}`: {}{help}", fault.message);
    }
    Ok(parsed.tree)
}

/// A value in the spelling of the papers. The case of its first word does not matter.
pub(crate) fn cased(text: &str, words: &[&str]) -> String {
    let text = text.trim_start();
    let end = text.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    match words.iter().find(|word| word.eq_ignore_ascii_case(first)) {
        Some(word) => format!("{word}{rest}"),
        None => text.to_owned(),
    }
}

pub(crate) fn sections(
    files: &[SpecFile],
    process: Process,
) -> impl Iterator<Item = (&SpecFile, &OptionSection)> {
    files.iter().flat_map(move |file| {
        file.sections.iter().filter_map(move |section| match section {
            Section::Options(options) if options.process == process => Some((file, options)),
            Section::Options(_) | Section::Messages(_) | Section::Lifelines(_) => None,
        })
    })
}

/// A partition as text: `discrete`, `trivial`, `{(l1,l2),(l3)}`. A lifeline that is not listed is a component of its
/// own.
pub(crate) fn partition(text: &str, signature: &Signature) -> Result<Partition> {
    let written = cased(text, &["discrete", "trivial"]);
    let (file, option) = tracegen("partition", &written)?;
    let Some(TracegenOption::Partition(partition)) = option else {
        unfit!("`{text}` is not a partition; write discrete, trivial or {{(l1,l2),(l3)}}");
    };
    resolve(&partition, &file, signature)
}

/// The nodes that give a multi-trace: `exact`, `prefix`, `terminal`, `exact depth 3`.
pub(crate) fn generation(text: &str) -> Result<Generation> {
    let written = cased(text, &["exact", "prefix", "terminal"]);
    match tracegen("generation", &written)?.1 {
        Some(TracegenOption::Generation(generation)) => Ok(generation),
        _ => unfit!("`{text}` is not exact, prefix or terminal"),
    }
}

/// One option of the trace generation logger.
fn tracegen(key: &str, text: &str) -> Result<(SpecFile, Option<TracegenOption>)> {
    let tree = tree(format!("@explore_option{{ loggers = [tracegen[{key} = {text}]] }}"), text)?;
    let option = loggers(std::slice::from_ref(&tree), Process::Explore)
        .flat_map(|(_, logger)| match logger {
            Logger::Tracegen(options) => options.as_slice(),
            Logger::Graphic(_) | Logger::Automaton => &[],
        })
        .next()
        .cloned();
    Ok((tree, option))
}

pub(crate) fn loggers(
    files: &[SpecFile],
    process: Process,
) -> impl Iterator<Item = (&SpecFile, &Logger)> {
    let items = sections(files, process)
        .flat_map(|(file, section)| section.items.iter().map(move |item| (file, &item.value)));
    items.flat_map(|(file, value)| {
        let loggers = if let OptionValue::Loggers(loggers) = value { &**loggers } else { &[] };
        loggers.iter().map(move |logger| (file, logger))
    })
}

/// A partition of the options over a signature.
pub(crate) fn resolve(
    partition: &otus_syntax::options::PartitionOption,
    file: &SpecFile,
    signature: &Signature,
) -> Result<Partition> {
    use otus_syntax::options::PartitionOption as Written;
    let count = signature.lifeline_count();
    let groups = match partition {
        Written::Discrete => return Ok(Partition::discrete(count)),
        Written::Trivial => return Ok(Partition::trivial(count)),
        Written::Listed(groups) => groups,
    };
    let mut taken = vec![false; count];
    let mut components: Vec<Vec<LifelineId>> = Vec::new();
    for group in groups {
        let mut component = Vec::new();
        for name in group {
            let text = file.names.text(name.symbol);
            let Some(lifeline) = signature.lifeline_called(text) else {
                let known = signature.lifelines().map(|(_, name)| name);
                let help = otus_syntax::suggest::did_you_mean(text, known).unwrap_or_default();
                unfit!("there is no lifeline `{text}` to put in a partition; {help}");
            };
            if std::mem::replace(&mut taken[lifeline.0 as usize], true) {
                unfit!("the lifeline `{text}` is in two parts of the partition");
            }
            component.push(lifeline);
        }
        components.push(component);
    }
    for (lifeline, _) in signature.lifelines() {
        if !taken[lifeline.0 as usize] {
            components.push(vec![lifeline]);
        }
    }
    components.retain(|component| !component.is_empty());
    Ok(Partition::new(components, count))
}

/// A partition in words: `discrete`, `trivial`, or its text.
pub(crate) fn describe(partition: &Partition, signature: &Signature) -> String {
    if partition.is_discrete() {
        return "discrete".to_owned();
    }
    if partition.is_trivial() {
        return "trivial".to_owned();
    }
    let group = |component| {
        let lifelines = partition.lifelines(component).iter();
        let names: Vec<&str> = lifelines.map(|&l| signature.lifeline_name(l)).collect();
        format!("({})", names.join(","))
    };
    let groups: Vec<String> = partition.components().map(group).collect();
    format!("{{{}}}", groups.join(","))
}
