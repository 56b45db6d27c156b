//! The processor groups of FreeBSD's scheduler, as it prints them: nested XML groups; inner groups share more
//! (`kern.sched.topology_spec`, smp(4)).

use roxmltree::{Document, Node};

/// All groups, each before those inside it.
#[derive(Debug)]
pub(in crate::sys) struct Topology(Vec<Group>);

#[derive(Debug)]
struct Group {
    cpus: Vec<u32>,
    /// 1 to 3; 0: no shared cache.
    cache_level: u32,
    /// Whether these are the threads of one core.
    is_core: bool,
}

impl Topology {
    /// The groups of this machine, if the scheduler provides them. They do not change while the system runs.
    #[cfg(target_os = "freebsd")]
    pub(in crate::sys) fn for_this_machine() -> Option<&'static Self> {
        static TOPOLOGY: std::sync::OnceLock<Option<Topology>> = std::sync::OnceLock::new();
        let read = || Self::parse(&crate::sys::sysctl::text("kern.sched.topology_spec")?);
        TOPOLOGY.get_or_init(read).as_ref()
    }

    /// `None` if the text has an unexpected form.
    pub(in crate::sys) fn parse(text: &str) -> Option<Self> {
        let document = Document::parse(text).ok()?;
        let groups = document.descendants().filter(|node| node.has_tag_name("group"));
        groups.map(Group::read).collect::<Option<_>>().map(Self)
    }

    /// The core of a processor: the first of its processors.
    pub(in crate::sys) fn core_of(&self, cpu: u32) -> Option<u32> {
        let own = || self.0.iter().filter(|group| group.cpus.contains(&cpu));
        own().next()?;
        Some(own().find(|group| group.is_core).and_then(|group| group.cpus.first().copied()).unwrap_or(cpu))
    }

    /// The caches that two processors share, the nearest first: `L2, L3`. Of the caches of one core, only the outermost
    /// is listed.
    pub(in crate::sys) fn shared_caches(&self, one: u32, other: u32) -> String {
        let both = self.0.iter().filter(|group| group.cpus.contains(&one) && group.cpus.contains(&other));
        let mut levels: Vec<u32> = both.map(|group| group.cache_level).filter(|&level| level > 0).collect();
        levels.sort_unstable();
        levels.dedup();
        let names: Vec<String> = levels.iter().map(|level| format!("L{level}")).collect();
        if names.is_empty() { "none".into() } else { names.join(", ") }
    }
}

impl Group {
    fn read(node: Node<'_, '_>) -> Option<Self> {
        let child = |name: &str| node.children().find(|child| child.has_tag_name(name));
        let cpus: Vec<u32> =
            child("cpu")?.text()?.split(',').map(|cpu| cpu.trim().parse().ok()).collect::<Option<_>>()?;
        let mut flags = child("flags").into_iter().flat_map(|flags| flags.children());
        Some(Self {
            cpus,
            cache_level: node.attribute("cache-level")?.parse().ok()?,
            is_core: flags.any(|flag| flag.attribute("name") == Some("SMT")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Core i7-3770 under FreeBSD 13.1, two of its four cores.
    const ONE_CACHE: &str = r#"<groups>
 <group level="1" cache-level="3">
  <cpu count="8" mask="ff,0,0,0">0, 1, 2, 3, 4, 5, 6, 7</cpu>
  <children>
   <group level="2" cache-level="2">
    <cpu count="2" mask="3,0,0,0">0, 1</cpu>
    <flags><flag name="THREAD">THREAD group</flag><flag name="SMT">SMT group</flag></flags>
   </group>
   <group level="2" cache-level="2">
    <cpu count="2" mask="c,0,0,0">2, 3</cpu>
    <flags><flag name="THREAD">THREAD group</flag><flag name="SMT">SMT group</flag></flags>
   </group>
  </children>
 </group>
</groups>"#;

    /// A machine with two NUMA nodes under FreeBSD 14: two of the ten cores of the first one.
    const TWO_NODES: &str = r#"<groups>
 <group level="1" cache-level="0">
  <cpu count="40" mask="ffffffffff,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0">0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39</cpu>
  <children>
   <group level="2" cache-level="3">
    <cpu count="20" mask="fffff,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0">0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19</cpu>
    <flags><flag name="NODE">NUMA node</flag></flags>
    <children>
     <group level="3" cache-level="2">
      <cpu count="2" mask="3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0">0, 1</cpu>
      <flags><flag name="THREAD">THREAD group</flag><flag name="SMT">SMT group</flag></flags>
     </group>
     <group level="3" cache-level="2">
      <cpu count="2" mask="c,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0">2, 3</cpu>
      <flags><flag name="THREAD">THREAD group</flag><flag name="SMT">SMT group</flag></flags>
     </group>
    </children>
   </group>
  </children>
 </group>
</groups>
"#;

    #[test]
    fn threads_belong_to_the_first_in_their_core() {
        let topology = Topology::parse(ONE_CACHE).unwrap();
        let cores: Vec<_> = (0..9).map(|cpu| topology.core_of(cpu)).collect();
        // A processor outside all groups of threads is a separate core.
        let expected = [Some(0), Some(0), Some(2), Some(2), Some(4), Some(5), Some(6), Some(7), None];
        assert_eq!(cores, expected);
        let topology = Topology::parse(TWO_NODES).unwrap();
        assert_eq!([1, 3, 19, 40].map(|cpu| topology.core_of(cpu)), [Some(0), Some(2), Some(19), None]);
    }

    #[test]
    fn shared_caches_come_from_common_groups() {
        let topology = Topology::parse(ONE_CACHE).unwrap();
        assert_eq!(topology.shared_caches(0, 1), "L2, L3");
        assert_eq!(topology.shared_caches(1, 2), "L3");
        assert_eq!(Topology::parse(TWO_NODES).unwrap().shared_caches(0, 20), "none");
    }

    #[test]
    fn rejects_text_in_another_form() {
        for text in [
            "",
            "<groups>",
            r#"<groups><group level="1" cache-level="1"></group></groups>"#,
            r#"<groups><group level="1" cache-level="x"><cpu count="1" mask="1">0</cpu></group></groups>"#,
            r#"<groups><group level="1" cache-level="1"><cpu count="1" mask="1">0, a</cpu></group></groups>"#,
        ] {
            assert!(Topology::parse(text).is_none(), "{text}");
        }
    }
}
