//! Memory of this process for a ring, in tests of it: its own, and those of the model checker.

use super::Keeper;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::Arc;

/// A view of zeroed memory that begins at a page. It goes with the last view.
#[derive(Clone)]
pub(crate) struct View(Arc<Block>);

struct Block {
    address: NonNull<u8>,
    layout: Layout,
}

// SAFETY: what is in it is atomics and what they guard.
#[expect(unsafe_code, reason = "memory that threads share")]
unsafe impl Send for Block {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "memory that threads share")]
unsafe impl Sync for Block {}

impl View {
    #[expect(unsafe_code, reason = "memory that threads share")]
    pub(crate) fn zeroed(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes, 4_096).unwrap();
        // SAFETY: the layout is not empty.
        let address = NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap();
        Self(Arc::new(Block { address, layout }))
    }
}

impl Keeper for View {
    fn address(&self) -> NonNull<u8> {
        self.0.address
    }

    fn bytes(&self) -> usize {
        self.0.layout.size()
    }
}

impl Drop for Block {
    #[expect(unsafe_code, reason = "memory that threads share")]
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and the last view of it is gone.
        unsafe { dealloc(self.address.as_ptr(), self.layout) };
    }
}
